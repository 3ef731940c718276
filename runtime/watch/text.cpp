// SPDX-License-Identifier: 0BSD
#include "text.hpp"

#include <cstddef>
#include <link.h>

namespace accrs::watch {

std::uint64_t in_file(std::uint64_t site)
{
    static const std::uint64_t start = [] {
        std::uint64_t found = 0;
        dl_iterate_phdr(
            [](dl_phdr_info *program, std::size_t, void *opaque) {
                for (int i = 0; i < program->dlpi_phnum; ++i)
                    if (program->dlpi_phdr[i].p_type == PT_LOAD) {
                        *static_cast<std::uint64_t *>(opaque) = program->dlpi_phdr[i].p_vaddr;
                        break;
                    }
                return 1; // the program comes first
            },
            &found);
        return found;
    }();
    return site == 0 ? 0 : site + start;
}

} // namespace accrs::watch
