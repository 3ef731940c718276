// SPDX-License-Identifier: 0BSD
//
// A sum over all stores of a launch at one place in the code, of a hash of address and value: it does
// not depend on the order of threads. A store is told of before it happens; its value is read at the
// next one of the OS thread, or when another thread of the kernel goes on.
#include "stores.hpp"

#include "shadow.hpp"

#include "../watch/text.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace accrs::checks {

namespace {

constexpr std::size_t most_records = 100000; // places of launches; later ones are left out

struct Pending {
    std::uintptr_t address = 0;
    std::size_t bytes = 0;
    std::uint32_t site = 0;
};

using Sums = std::map<std::uint32_t, std::uint64_t>;

struct Record {
    std::string kernel;
    Sums sums;
};

struct Log {
    std::mutex mutex;
    std::map<std::uint64_t, std::uint64_t> numbers; // of launches, by their time
    std::map<std::uint64_t, Record> records;        // by number
    std::size_t places = 0;
};

thread_local Pending pending;
thread_local Sums own_sums;
thread_local std::uint64_t own_launch;
thread_local const char *own_kernel;

void write_log();

Log &log()
{
    static Log *const instance = [] {
        std::atexit(write_log);
        return new Log; // launches come until the very end
    }();
    return *instance;
}

void write_log()
{
    const char *path = std::getenv("ACCRS_CHECK_REPORT");
    std::FILE *file = path == nullptr ? nullptr : std::fopen(path, "ae");
    if (file == nullptr)
        return;
    Log &l = log();
    const std::lock_guard<std::mutex> lock(l.mutex);
    std::string out = "{\"stores\":" + std::to_string(l.places) + "}\n";
    for (const auto &[number, record] : l.records)
        for (const auto &[site, sum] : record.sums)
            out += "{\"launch\":" + std::to_string(number) + ",\"kernel\":" + watch::quoted(record.kernel) +
                   ",\"stored_at\":" + std::to_string(watch::in_file(site)) + ",\"values\":" + std::to_string(sum) + "}\n";
    std::fputs(out.c_str(), file);
    std::fclose(file);
}

std::uint64_t mixed(std::uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

} // namespace

bool stores_are_asked_for()
{
    static const bool asked = std::getenv("ACCRS_CHECK_STORES") != nullptr;
    return asked;
}

void note_store(std::uintptr_t address, std::size_t bytes, const void *pc)
{
    settle_store();
    pending = {address, bytes, site_of(pc)};
}

void settle_store()
{
    if (pending.bytes == 0)
        return;
    std::uint64_t hash = mixed(pending.address - arena.begin);
    for (std::size_t done = 0; done < pending.bytes; done += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, reinterpret_cast<const void *>(pending.address + done), std::min(sizeof word, pending.bytes - done));
        hash = mixed(hash + word);
    }
    own_sums[pending.site] += hash;
    pending.bytes = 0;
}

void stores_begin(std::uint64_t launch_time, const char *kernel)
{
    Log &l = log();
    const std::lock_guard<std::mutex> lock(l.mutex);
    own_launch = l.numbers.try_emplace(launch_time, l.numbers.size() + 1).first->second;
    own_kernel = kernel;
}

void stores_end()
{
    settle_store();
    Log &l = log();
    const std::lock_guard<std::mutex> lock(l.mutex);
    if (l.places < most_records) {
        Record &record = l.records[own_launch];
        record.kernel = own_kernel;
        for (const auto &[site, sum] : own_sums) {
            l.places += record.sums.count(site) == 0 ? 1 : 0;
            record.sums[site] += sum;
        }
    }
    own_sums.clear();
}

} // namespace accrs::checks
