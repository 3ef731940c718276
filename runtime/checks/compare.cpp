// SPDX-License-Identifier: 0BSD
//
// What goes through the pipe, for each construct in turn:
//
//     1, its file, line and directive, how many sections there are, and of each
//     its name, where it begins relative to its base, its length, its bytes
//
// and 0 as the program ends. Both processes evaluate the same clauses, so that sections come in the
// same order. Compared is what a kernel has stored since the construct began, by its cell; what
// differs otherwise is told beside a first difference: the construct has found it so.
//
// The first difference ends the run: later ones may follow from it. Constructs of other threads than
// the main one, and of other processes that it forks, are not compared: which comes first is open.
#include "compare.hpp"

#include "layout.hpp"
#include "queues.hpp"
#include "shadow.hpp"

#include "../include/accrs.h"
#include "../src/clause.hpp"
#include "../watch/text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace accrs::checks {

namespace {

using watch::quoted;

enum class Role { none, sends, receives };

struct Part {
    std::string name;
    std::ptrdiff_t from_base;
    std::uintptr_t start;
    std::size_t bytes;
    int row; // behind pointers: which one; else -1
    const char *layout;
};

struct Construct {
    const char *file = nullptr;
    int line = 0;
    const char *directive = "";
    std::vector<Part> parts;
    Tag since = 0;
    bool is_open = false;
};

// The first element that differs, and how many do.
struct Difference {
    std::size_t number = 0;
    std::size_t element = 0;
    std::string member, here, there;
};

struct Compared {
    Part part;
    std::size_t elements;
    Difference written, found_so;
};

Role role = Role::none;
std::FILE *pipe_end = nullptr;
pid_t owner = 0;
Tolerance tolerance;
Construct construct;
unsigned long long constructs = 0; // that were compared

void at_end();

void open_pipe()
{
    static bool is_known = false;
    if (is_known)
        return;
    is_known = true;
    const char *to = std::getenv("ACCRS_COMPARE_TO"), *from = std::getenv("ACCRS_COMPARE_WITH");
    const char *const number = to != nullptr ? to : from;
    if (number == nullptr)
        return;
    pipe_end = fdopen(std::atoi(number), to != nullptr ? "wb" : "rb");
    if (pipe_end == nullptr)
        return;
    if (const char *text = std::getenv("ACCRS_COMPARE_TOLERANCE")) {
        char *rest = nullptr;
        tolerance.single = std::strtod(text, &rest);
        tolerance.other = *rest == ',' ? std::strtod(rest + 1, nullptr) : tolerance.single;
    }
    role = to != nullptr ? Role::sends : Role::receives;
    owner = getpid();
    std::atexit(at_end);
}

// Before main: a program without constructs has an end, too.
__attribute__((constructor)) void prepare()
{
    open_pipe();
}

bool takes_part()
{
    return role != Role::none && getpid() == owner && syscall(SYS_gettid) == owner;
}

template <class T> void send(const T &value)
{
    std::fwrite(&value, sizeof value, 1, pipe_end);
}

void send(const std::string &text)
{
    send(static_cast<std::uint64_t>(text.size()));
    std::fwrite(text.data(), 1, text.size(), pipe_end);
}

template <class T> bool receive(T &value)
{
    return std::fread(&value, sizeof value, 1, pipe_end) == 1;
}

bool receive(std::string &text)
{
    std::uint64_t size = 0;
    if (!receive(size) || size > 1u << 20)
        return false;
    text.resize(size);
    return std::fread(&text[0], 1, size, pipe_end) == size;
}

void write_report(const std::string &line)
{
    const char *path = std::getenv("ACCRS_CHECK_REPORT");
    std::FILE *file = path == nullptr ? stderr : std::fopen(path, "ae");
    if (file == nullptr)
        return;
    std::fputs(line.c_str(), file);
    std::fflush(file);
}

// What is known: nothing after it is of use.
[[noreturn]] void end_run(const std::string &line)
{
    write_report(line);
    std::fflush(nullptr);
    std::_Exit(0);
}

std::string place_json(const char *key, const std::string &file, int line, const std::string &directive)
{
    return std::string("\"") + key + "\":{\"file\":" + quoted(file) + ",\"line\":" + std::to_string(line) +
           ",\"directive\":" + quoted(directive) + "}";
}

std::string difference_json(const Compared &compared, const Difference &difference)
{
    const Part &part = compared.part;
    return "{\"name\":" + quoted(part.name) + ",\"row\":" + std::to_string(part.row) +
           ",\"element\":" + std::to_string(difference.element) + ",\"elements\":" + std::to_string(compared.elements) +
           ",\"differing\":" + std::to_string(difference.number) + ",\"member\":" + quoted(difference.member) +
           ",\"on_device\":" + quoted(difference.here) + ",\"on_host\":" + quoted(difference.there) + "}";
}

void write_difference(const std::vector<Compared> &all, const Compared &first)
{
    std::string line = "{\"differs\":" + difference_json(first, first.written) + "," +
                       place_json("at", construct.file, construct.line, construct.directive) + ",\"others\":[";
    const char *separator = "";
    for (const Compared &other : all) {
        const bool is_first = &other == &first;
        for (const Difference *difference : {&other.written, &other.found_so}) {
            if (difference->number == 0 || (is_first && difference == &first.written))
                continue;
            line += separator + std::string("{\"is_written\":") + (difference == &other.written ? "true" : "false") +
                    ",\"what\":" + difference_json(other, *difference) + "}";
            separator = ",";
        }
    }
    end_run(line + "]}\n");
}

template <class Holds> bool any_cell(std::uintptr_t begin, std::size_t bytes, const Holds &holds)
{
    for (std::uintptr_t address = begin; address < begin + bytes;) {
        const std::size_t offset = address - arena.begin;
        const Cell &cell = arena.cells[offset / granule];
        const Tag tag = cell.write == split ? arena.byte_cells[offset].write : cell.write;
        if (holds(tag))
            return true;
        address = cell.write == split ? address + 1 : (address / granule + 1) * granule;
    }
    return false;
}

bool is_written(std::uintptr_t begin, std::size_t bytes)
{
    return any_cell(begin, bytes, [](Tag tag) { return tag > given && processor_of(tag) != of_copy && tag >= construct.since; });
}

bool has_value(std::uintptr_t begin, std::size_t bytes)
{
    return any_cell(begin, bytes, [](Tag tag) { return tag > uninitialised; });
}

// How an element differs.
struct Differs {
    bool written = false, found_so = false;
};

void compare_field(const Field &field, const char *here, const char *there, std::size_t element, Differs &differs,
                   Compared &compared)
{
    for (std::size_t i = 0; i < field.count; ++i) {
        const std::size_t at = field.offset + i * field.bytes;
        if (are_same(field, tolerance, here + at, there + at))
            continue;
        const auto address = reinterpret_cast<std::uintptr_t>(here + at);
        const bool written = is_written(address, field.bytes);
        if (!written && !has_value(address, field.bytes))
            continue;
        (written ? differs.written : differs.found_so) = true;
        Difference &first = written ? compared.written : compared.found_so;
        const std::string member = field.count > 1 && !field.name.empty() ? field.name + "[" + std::to_string(i) + "]" : field.name;
        if (first.here.empty())
            first = {0, element, member, text_of(field, here + at), text_of(field, there + at)};
    }
}

// `here`: on the device. The host's bytes of the same part.
Compared compare(const Part &part, std::uintptr_t here, const char *there)
{
    const Layout layout = layout_of(part.layout);
    Compared compared{part, part.bytes / layout.bytes, {}, {}};
    const auto *const own = reinterpret_cast<const char *>(here);
    if (std::memcmp(own, there, part.bytes) == 0)
        return compared;
    for (std::size_t i = 0; i < compared.elements; ++i) {
        const std::size_t at = i * layout.bytes;
        if (std::memcmp(own + at, there + at, layout.bytes) == 0)
            continue;
        Differs differs;
        for (const Field &field : layout.fields)
            compare_field(field, own + at, there + at, i, differs, compared);
        compared.written.number += differs.written ? 1 : 0;
        compared.found_so.number += differs.found_so ? 1 : 0;
    }
    return compared;
}

// Whether the user has said that it may differ: its name, perhaps without its section.
bool is_excepted(const std::string &name)
{
    static const std::string excepted = [] {
        const char *text = std::getenv("ACCRS_COMPARE_EXCEPT");
        return '\n' + std::string(text == nullptr ? "" : text) + '\n';
    }();
    const auto has = [](const std::string &one) { return excepted.find('\n' + one + '\n') != std::string::npos; };
    return has(name) || has(name.substr(0, name.find('[')));
}

// The device's copy of a part; 0 where there is none.
std::uintptr_t copy_of(const Part &part)
{
    Device &target = device();
    const Lock lock(target.mutex);
    if (target.is_host || target.origin != nullptr)
        return 0;
    const Found found = target.table.find(part.start, part.bytes);
    if (found.presence != Presence::present || found.entry->gaps != 0)
        return 0;
    const std::uintptr_t address = found.entry->device_of(part.start);
    return arena.contains(address) ? address : 0;
}

void send_construct()
{
    send('\1');
    send(std::string(construct.file));
    send(construct.line);
    send(std::string(construct.directive));
    send(static_cast<std::uint64_t>(construct.parts.size()));
    for (const Part &part : construct.parts) {
        send(part.from_base);
        send(static_cast<std::uint64_t>(part.bytes));
        std::fwrite(reinterpret_cast<const void *>(part.start), 1, part.bytes, pipe_end);
    }
    std::fflush(pipe_end);
}

struct Head {
    std::string file, directive;
    int line = 0;
    std::uint64_t parts = 0;
};

// Where the host's run is; false: at its end.
bool receive_head(Head &head)
{
    char kind = 0;
    return receive(kind) && kind == '\1' && receive(head.file) && receive(head.line) && receive(head.directive) &&
           receive(head.parts);
}

[[noreturn]] void found_other_way(bool is_here, bool is_there, const Head &there)
{
    std::string line = "{\"other_way\":true";
    if (is_here)
        line += "," + place_json("on_device", construct.file, construct.line, construct.directive);
    if (is_there)
        line += "," + place_json("on_host", there.file, there.line, there.directive);
    end_run(line + "}\n");
}

void receive_construct(bool has_run_here)
{
    Head head;
    const bool is_there = receive_head(head);
    if (!is_there || head.file != construct.file || head.line != construct.line)
        found_other_way(true, is_there, head);
    constructs += has_run_here ? 1 : 0;
    std::vector<Compared> all;
    std::vector<char> bytes;
    for (std::uint64_t number = 0; number < head.parts; ++number) {
        std::ptrdiff_t from_base = 0;
        std::uint64_t length = 0;
        if (!receive(from_base) || !receive(length))
            return;
        bytes.resize(length);
        if (length != 0 && std::fread(bytes.data(), 1, length, pipe_end) != length)
            return;
        if (!has_run_here || number >= construct.parts.size())
            continue;
        // What is present may be more than what the host knows of, or less.
        Part part = construct.parts[number];
        const std::ptrdiff_t begin = std::max(from_base, part.from_base);
        const std::ptrdiff_t end = std::min(from_base + static_cast<std::ptrdiff_t>(length),
                                            part.from_base + static_cast<std::ptrdiff_t>(part.bytes));
        if (begin >= end || is_excepted(part.name))
            continue;
        part.start += static_cast<std::uintptr_t>(begin - part.from_base);
        part.bytes = static_cast<std::size_t>(end - begin);
        if (const std::uintptr_t here = copy_of(part))
            all.push_back(compare(part, here, bytes.data() + (begin - from_base)));
    }
    for (const Compared &compared : all)
        if (compared.written.number != 0)
            write_difference(all, compared);
}

// The program ends: the other process has to be there, too.
void at_end()
{
    if (role == Role::none || getpid() != owner)
        return;
    if (role == Role::sends) {
        send('\0');
        std::fflush(pipe_end);
    } else {
        Head head;
        if (receive_head(head))
            found_other_way(false, true, head);
        write_report("{\"compared\":" + std::to_string(constructs) + "}\n");
    }
    role = Role::none;
}

void add_part(const Section &section, const char *layout, int row)
{
    if (section.length == 0 || section.start == 0)
        return;
    construct.parts.push_back({section.name, static_cast<std::ptrdiff_t>(section.start - section.base), section.start, section.length, row, layout});
}

// All that is known behind a pointer.
void add_known(const char *name, const volatile void *base, const char *layout)
{
    Device &target = device();
    const Lock lock(target.mutex);
    const auto address = reinterpret_cast<std::uintptr_t>(base);
    if (const Entry *entry = target.table.find_pointer(address))
        add_part({name, address, entry->start, entry->length}, layout, -1);
}

} // namespace

void construct_has_run()
{
    if (!takes_part() || !construct.is_open)
        return;
    construct.is_open = false;
    if (role == Role::receives) {
        receive_construct(true);
        return;
    }
    construct.parts.clear(); // it runs on a device in both processes
    send_construct();
}

} // namespace accrs::checks

using namespace accrs;
using namespace accrs::checks;

extern "C" {

void accrs_compare(const char *file, int line, const char *directive)
{
    if (!takes_part())
        return;
    construct.file = file;
    construct.line = line;
    construct.directive = directive;
    construct.parts.clear();
    construct.since = next_time() << time_shift;
    construct.is_open = true;
}

void accrs_compare_section(const char *name, const volatile void *base, accrs_offset offset, accrs_size length, const char *layout)
{
    if (!takes_part()) {
        current().announced = {};
        return;
    }
    if (base == nullptr || static_cast<std::ptrdiff_t>(length) <= 0) {
        current().announced = {};
        if (base != nullptr)
            add_known(name, base, layout);
        return;
    }
    const DataClause clause(name, base, offset, length);
    int row = clause.announced.levels.empty() ? -1 : 0;
    clause.walk(
        Direction::entering, [&](const Section &s) { add_part(s, layout, row < 0 ? row : row++); }, [](const Section &) {},
        [](std::uintptr_t) {});
}

void accrs_compare_end(void)
{
    if (!takes_part() || !construct.is_open)
        return;
    construct.is_open = false;
    if (role == Role::sends)
        send_construct();
    else
        receive_construct(false);
}

} // extern "C"
