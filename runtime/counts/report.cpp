// SPDX-License-Identifier: 0BSD
//
// What was counted, at the end of the program: a line of JSON for each kernel and for each place
// that accesses memory, to the file that ACCRS_COUNTS_REPORT names.
#include "warps.hpp"

#include "../watch/text.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace accrs::counts {

namespace {

struct Log {
    std::mutex mutex;
    Book book;
};

const char *word(Access access)
{
    switch (access) {
    case Access::read:
        return "read";
    case Access::write:
        return "write";
    case Access::atomic:
        break;
    }
    return "atomic";
}

std::string json(const Tally &tally)
{
    return "{\"requests\":" + std::to_string(tally.requests) + ",\"accesses\":" + std::to_string(tally.accesses) +
           ",\"transactions\":" + std::to_string(tally.transactions) + ",\"sectors\":" + std::to_string(tally.sectors) + "}";
}

std::string json(const std::string &name, const KernelCounts &counts)
{
    std::string all;
    for (const auto &[configuration, launches] : counts.configurations)
        all += (all.empty() ? "" : ",") + ("{\"blocks\":" + std::to_string(configuration.first)) +
               ",\"threads\":" + std::to_string(configuration.second) + ",\"launches\":" + std::to_string(launches) + "}";
    return "{\"kernel\":" + watch::quoted(name) + ",\"launches\":" + std::to_string(counts.launches) +
           ",\"blocks\":" + std::to_string(counts.blocks) + ",\"threads\":" + std::to_string(counts.threads) +
           ",\"barriers\":" + std::to_string(counts.barriers) + ",\"configurations\":[" + all + "]}\n";
}

std::string json(const PlaceKey &key, const PlaceCounts &place)
{
    const auto &[kernel, site, access, space] = key;
    return "{\"kernel\":" + watch::quoted(kernel) + ",\"site\":" + std::to_string(watch::in_file(site)) + ",\"access\":\"" +
           word(access) + "\",\"space\":\"" + (space == Space::device ? "device" : "shared") +
           "\",\"array\":" + watch::quoted(place.array) + ",\"bytes\":" + std::to_string(place.bytes) +
           ",\"full\":" + json(place.full) + ",\"partial\":" + json(place.partial) + "}\n";
}

void write_report();

Log &log()
{
    static Log *const instance = [] {
        std::atexit(write_report);
        return new Log; // kernels run until the very end
    }();
    return *instance;
}

void write_report()
{
    const char *path = std::getenv("ACCRS_COUNTS_REPORT");
    std::FILE *file = path == nullptr ? nullptr : std::fopen(path, "we");
    if (file == nullptr)
        return;
    Log &l = log();
    const std::lock_guard<std::mutex> lock(l.mutex);
    for (const auto &[name, counts] : l.book.kernels)
        std::fputs(json(name, counts).c_str(), file);
    for (const auto &[key, place] : l.book.places)
        std::fputs(json(key, place).c_str(), file);
    std::fclose(file);
}

} // namespace

void publish(Book &book)
{
    Log &l = log();
    const std::lock_guard<std::mutex> lock(l.mutex);
    l.book.add(book);
}

} // namespace accrs::counts
