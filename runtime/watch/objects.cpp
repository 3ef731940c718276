// SPDX-License-Identifier: 0BSD
//
// What addresses belong to: device allocations by the name that the data clause gave
// them, __shared__ variables by the program's symbol table.
#include "objects.hpp"

#include "text.hpp"

#include "../emulation/watch.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <link.h>
#include <map>
#include <mutex>
#include <vector>

extern "C" {
extern __thread char accrs_kernels_begin_shared[];
}

namespace accrs::watch {

namespace {

struct Allocation {
    std::size_t bytes;
    std::string name;
};

std::mutex mutex;

std::map<std::uintptr_t, Allocation> &allocations()
{
    static auto *const map = new std::map<std::uintptr_t, Allocation>; // outlives all static objects
    return *map;
}

struct Variable {
    std::uintptr_t offset; // in the thread-local segment, or in the program's file
    std::size_t bytes;
    std::string name;
};

// "file_acc::kernel(int)::tile" -> "tile"
std::string own_name(const char *symbol)
{
    int status = 0;
    char *demangled = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    std::string name = demangled != nullptr ? demangled : symbol;
    std::free(demangled);
    const std::size_t colon = name.rfind("::");
    return colon == std::string::npos ? name : name.substr(colon + 2);
}

using Header = ElfW(Ehdr);
using Section = ElfW(Shdr);
using Symbol = ElfW(Sym);

template <class T> const T *at(const std::vector<char> &image, std::size_t offset, std::size_t count = 1)
{
    const bool fits = offset <= image.size() && count <= (image.size() - offset) / sizeof(T);
    return fits ? reinterpret_cast<const T *>(image.data() + offset) : nullptr;
}

// The variables of this program whose symbols are of a type, STT_TLS or STT_OBJECT; empty where it was
// stripped.
std::vector<Variable> read_variables(unsigned type)
{
    std::vector<Variable> variables;
    std::ifstream file("/proc/self/exe", std::ios::binary);
    const std::vector<char> image{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const auto *header = at<Header>(image, 0);
    if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return variables;
    const auto *sections = at<Section>(image, header->e_shoff, header->e_shnum);
    for (unsigned i = 0; sections != nullptr && i < header->e_shnum; ++i) {
        const Section &table = sections[i];
        if (table.sh_type != SHT_SYMTAB || table.sh_link >= header->e_shnum)
            continue;
        const Section &names = sections[table.sh_link];
        const std::size_t count = table.sh_size / sizeof(Symbol);
        const auto *symbols = at<Symbol>(image, table.sh_offset, count);
        const char *text = at<char>(image, names.sh_offset, names.sh_size);
        for (std::size_t k = 0; symbols != nullptr && text != nullptr && k < count; ++k)
            if ((symbols[k].st_info & 15) == type && symbols[k].st_size != 0 && symbols[k].st_name < names.sh_size)
                variables.push_back({symbols[k].st_value, symbols[k].st_size, text + symbols[k].st_name});
    }
    std::sort(variables.begin(), variables.end(), [](const auto &a, const auto &b) { return a.offset < b.offset; });
    return variables;
}

struct Segments {
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> read_only;
};

int collect_segments(dl_phdr_info *module, std::size_t, void *opaque)
{
    for (int i = 0; i < module->dlpi_phnum; ++i) {
        const auto &segment = module->dlpi_phdr[i];
        if ((segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0) || segment.p_type == PT_GNU_RELRO) {
            const std::uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
            static_cast<Segments *>(opaque)->read_only.emplace_back(begin, begin + segment.p_memsz);
        }
    }
    return 0;
}

} // namespace

void remember_allocation(std::uintptr_t begin, std::size_t bytes)
{
    const std::lock_guard<std::mutex> lock(mutex);
    allocations()[begin] = {bytes, ""};
}

std::size_t forget_allocation(std::uintptr_t begin)
{
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = allocations().find(begin);
    if (found == allocations().end())
        return 0;
    const std::size_t bytes = found->second.bytes;
    allocations().erase(found);
    return bytes;
}

void named(const void *begin, const char *name)
{
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = allocations().find(reinterpret_cast<std::uintptr_t>(begin));
    if (found != allocations().end() && name != nullptr)
        found->second.name = name;
}

Object device_object(std::uintptr_t address)
{
    const std::lock_guard<std::mutex> lock(mutex);
    auto after = allocations().upper_bound(address);
    if (after == allocations().begin())
        return {};
    --after;
    const std::uintptr_t offset = address - after->first;
    return offset < after->second.bytes ? Object{after->second.name, after->second.bytes, static_cast<std::ptrdiff_t>(offset), false}
                                        : Object{};
}

Object nearest_device_object(std::uintptr_t address)
{
    const std::lock_guard<std::mutex> lock(mutex);
    const auto after = allocations().upper_bound(address);
    const auto object = [&](const auto &entry) {
        return Object{entry->second.name, entry->second.bytes, static_cast<std::ptrdiff_t>(address - entry->first), false};
    };
    if (after == allocations().begin())
        return after == allocations().end() ? Object{} : object(after);
    const auto before = std::prev(after);
    const bool later_is_nearer =
        after != allocations().end() && after->first - address < address - (before->first + before->second.bytes);
    return object(later_is_nearer ? after : before);
}

Object shared_object(std::uintptr_t address)
{
    static const std::vector<Variable> variables = read_variables(STT_TLS);
    const Variable *marker = nullptr;
    for (const Variable &variable : variables)
        if (variable.name == "accrs_kernels_begin_shared")
            marker = &variable;
    if (marker == nullptr)
        return {};
    const std::uintptr_t segment = reinterpret_cast<std::uintptr_t>(accrs_kernels_begin_shared) - marker->offset;
    for (const Variable &variable : variables) {
        const std::uintptr_t begin = segment + variable.offset;
        // What functions of the runtime have in shared memory.
        if (address - begin < variable.bytes && variable.name.compare(0, 10, "_ZZN5accrs") == 0)
            return {"(reduction)", variable.bytes, static_cast<std::ptrdiff_t>(address - begin), false};
        if (address - begin < variable.bytes)
            return {own_name(variable.name.c_str()), variable.bytes, static_cast<std::ptrdiff_t>(address - begin),
                    variable.name.compare(0, 4, "_ZGV") == 0};
    }
    return {};
}

Object host_object(std::uintptr_t address)
{
    const auto image = reinterpret_cast<std::uintptr_t>(__executable_start);
    if (address < image || address - image > std::numeric_limits<std::uint32_t>::max())
        return {}; // sites are as small
    static const std::vector<Variable> variables = read_variables(STT_OBJECT);
    const std::uintptr_t offset = in_file(address - image);
    const auto begins_later = [](std::uintptr_t at, const Variable &variable) { return at < variable.offset; };
    const auto after = std::upper_bound(variables.begin(), variables.end(), offset, begins_later);
    if (after == variables.begin())
        return {};
    const Variable &variable = *std::prev(after);
    const std::uintptr_t within = offset - variable.offset;
    return within < variable.bytes ? Object{variable.name, variable.bytes, static_cast<std::ptrdiff_t>(within), false} : Object{};
}

std::size_t bytes_of_variable_from(std::uintptr_t address)
{
    const Object variable = host_object(address);
    return variable.bytes - static_cast<std::size_t>(variable.offset);
}

bool is_read_only(std::uintptr_t address)
{
    static const Segments segments = [] {
        Segments found;
        dl_iterate_phdr(collect_segments, &found);
        return found;
    }();
    for (const auto &[begin, end] : segments.read_only)
        if (address >= begin && address < end)
            return true;
    return false;
}

} // namespace accrs::watch
