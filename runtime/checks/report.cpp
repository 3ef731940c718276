// SPDX-License-Identifier: 0BSD
#include "report.hpp"

#include "../emulation/kernel.hpp"
#include "../emulation/watch.hpp"
#include "../watch/text.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

namespace accrs::emulation {
[[noreturn]] void stop_launch();
}

namespace accrs::checks {

using watch::in_file;
using watch::quoted;

namespace {

constexpr std::size_t most_findings = 200; // written in full; further ones are counted

// One finding a pair of places in the code; threads and indices vary.
using Key = std::tuple<std::string, std::string, std::uint64_t, std::uint64_t, int, int, std::string>;

struct Log {
    std::mutex mutex;
    std::FILE *file = nullptr; // JSON; none: words to standard error
    std::map<Key, std::pair<std::size_t, unsigned long long>> seen; // number and how often
    unsigned long long left_out = 0;

    Log()
    {
        if (const char *path = std::getenv("ACCRS_CHECK_REPORT"))
            file = std::fopen(path, "ae");
    }
};

void end_log();

Log &log()
{
    static Log *const instance = [] {
        std::atexit(end_log);
        return new Log; // findings come until the very end
    }();
    return *instance;
}

// How often each finding was made is known at the end only.
void end_log()
{
    Log &l = log();
    const std::lock_guard<std::mutex> lock(l.mutex);
    if (l.file == nullptr)
        return;
    for (const auto &[key, finding] : l.seen)
        std::fprintf(l.file, "{\"number\":%zu,\"times\":%llu}\n", finding.first, finding.second);
    std::fprintf(l.file, "{\"left_out\":%llu}\n", l.left_out);
    std::fflush(l.file);
}

std::string json(const Place &place)
{
    if (!place.known)
        return "null";
    char text[48];
    std::snprintf(text, sizeof text, "[%u,%u,%u]", place.index[0], place.index[1], place.index[2]);
    return text;
}

std::string json(const Finding &f, std::size_t number)
{
    std::string out = "{\"number\":" + std::to_string(number);
    const auto add = [&](const char *key, const std::string &value) { out += std::string(",\"") + key + "\":" + value; };
    add("kind", quoted(f.kind));
    add("space", quoted(f.space));
    add("note", quoted(f.note));
    add("access", quoted(f.access));
    add("other_access", quoted(f.other_access));
    add("kernel", quoted(running_kernel()));
    add("site", std::to_string(f.site));
    add("other_site", std::to_string(f.other_site));
    add("file", quoted(f.file));
    add("line", std::to_string(f.line));
    add("other_file", quoted(f.other_file));
    add("other_line", std::to_string(f.other_line));
    add("block", json(f.block));
    add("thread", json(f.thread));
    add("other_block", json(f.other_block));
    add("other_thread", json(f.other_thread));
    add("object", quoted(f.object.name));
    add("object_bytes", std::to_string(f.object.bytes));
    add("offset", std::to_string(f.object.offset));
    add("size", std::to_string(f.size));
    add("text", quoted(f.text));
    return out + "}\n";
}

std::string words(const Place &place)
{
    return place.known ? "(" + std::to_string(place.index[0]) + "," + std::to_string(place.index[1]) + "," +
                             std::to_string(place.index[2]) + ")"
                       : "?";
}

void print(const Finding &f)
{
    std::string out = std::string("accrs: checks: ") + f.kind;
    for (const char *part : {f.note, f.space, f.access})
        if (*part != '\0')
            out += std::string(" ") + part;
    if (!f.object.name.empty())
        out += " of '" + f.object.name + "'";
    if (f.object.bytes != 0)
        out += " at byte " + std::to_string(f.object.offset) + " of " + std::to_string(f.object.bytes);
    if (*f.file != '\0')
        out += std::string(" at ") + f.file + ":" + std::to_string(f.line);
    if (*f.other_file != '\0')
        out += std::string(", ") + f.other_file + ":" + std::to_string(f.other_line);
    if (*running_kernel() == '\0') {
        std::fprintf(stderr, "%s\n", out.c_str());
        return;
    }
    out += std::string(", kernel ") + running_kernel() + ", block " + words(f.block) + ", thread " + words(f.thread);
    if (*f.other_access != '\0')
        out += std::string(", ") + f.other_access + " by block " + words(f.other_block) + ", thread " + words(f.other_thread);
    if (!f.text.empty())
        out += ": " + f.text;
    std::fprintf(stderr, "%s\n", out.c_str());
}

} // namespace

void report(Finding finding)
{
    finding.site = in_file(finding.site);
    finding.other_site = in_file(finding.other_site);
    Log &l = log();
    const std::lock_guard<std::mutex> lock(l.mutex);
    const Key key{std::string(finding.kind) + ' ' + finding.note, running_kernel(), finding.site, finding.other_site,
                  finding.line, finding.other_line, finding.object.name};
    const auto known = l.seen.find(key);
    if (known != l.seen.end()) {
        ++known->second.second;
        return;
    }
    if (l.seen.size() >= most_findings) {
        ++l.left_out;
        return;
    }
    const std::size_t number = l.seen.size();
    l.seen[key] = {number, 1};
    if (l.file == nullptr) {
        print(finding);
        return;
    }
    // At once: what a fault does next is not known.
    std::fputs(json(finding, number).c_str(), l.file);
    std::fflush(l.file);
}

void queues_are_used()
{
    static std::atomic<bool> is_told{false};
    if (is_told.exchange(true))
        return;
    Log &l = log();
    const std::lock_guard<std::mutex> lock(l.mutex);
    if (l.file == nullptr)
        return;
    std::fputs("{\"queues\":true}\n", l.file);
    std::fflush(l.file);
}

void before_the_end(void (*act)())
{
    (void)log(); // what is registered later comes first
    std::atexit(act);
}

void report_and_stop(Finding finding)
{
    report(std::move(finding));
    emulation::stop_launch();
}

} // namespace accrs::checks

namespace accrs::watch {

using namespace checks;

void barrier_missed(const char *what, const void *pc, int line)
{
    settle();
    Finding finding;
    finding.kind = "barrier";
    finding.line = line;
    finding.site = pc == nullptr ? 0 : site_of(pc);
    finding.text = what;
    finding.block = {true, {blockIdx.x, blockIdx.y, blockIdx.z}};
    report(std::move(finding));
}

} // namespace accrs::watch
