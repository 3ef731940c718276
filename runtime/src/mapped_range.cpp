// SPDX-License-Identifier: 0BSD
#include "mapped_range.hpp"

#include <cinttypes>
#include <cstdio>

namespace accrs {

MappedRange mapped_range(std::uintptr_t address)
{
    const MappedRange none{address, address};
    std::FILE *const maps = std::fopen("/proc/self/maps", "re");
    if (maps == nullptr)
        return none;
    MappedRange found{0, 0}; // mappings are in the order of addresses
    char line[4352];         // a path has at most 4096 bytes
    while (std::fgets(line, sizeof line, maps) != nullptr) {
        std::uintptr_t start = 0, end = 0;
        char readable = '-';
        if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %c", &start, &end, &readable) != 3)
            continue;
        if (start > address && start != found.end)
            break;
        if (readable != 'r')
            found = {end, end};
        else if (start != found.end)
            found = {start, end};
        else
            found.end = end;
        if (found.start > address)
            break;
    }
    std::fclose(maps);
    return address >= found.start && address < found.end ? found : none;
}

} // namespace accrs
