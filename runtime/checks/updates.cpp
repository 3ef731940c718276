// SPDX-License-Identifier: 0BSD
//
// One of several copies that a directive makes, and one of its executions, may be the one that it is
// there for: told is what was needless each time.
#include "updates.hpp"

#include "queues.hpp"
#include "report.hpp"

#include "../src/region.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace accrs::checks {

namespace {

struct Uses {
    const char *file = "";
    bool is_needed = false;
};

using Key = std::tuple<std::string, int, std::string, bool>; // file, line, name, to the host

struct Log {
    std::mutex mutex;
    std::map<Key, Uses> updates;
};

void tell();

Log &log()
{
    static Log *const instance = [] {
        before_the_end(tell);
        return new Log; // updates come until the very end
    }();
    return *instance;
}

void tell()
{
    Log &l = log();
    const std::lock_guard<std::mutex> lock(l.mutex);
    for (const auto &[key, uses] : l.updates) {
        if (uses.is_needed)
            continue;
        const auto &[file, line, name, to_host] = key;
        Finding finding;
        finding.kind = "needless";
        finding.space = "host";
        finding.note = "needless";
        finding.access = to_host ? "read" : "write";
        finding.file = uses.file;
        finding.line = line;
        finding.object.name = name;
        report(std::move(finding));
    }
}

} // namespace

bool directive_is(const char *name)
{
    const char *directive = current().place.directive;
    return directive != nullptr && std::strcmp(directive, name) == 0;
}

void note_update(const char *name, bool to_host, bool needless)
{
    const Directive directive = directive_here();
    if (directive.file == nullptr)
        return;
    Log &l = log();
    const std::lock_guard<std::mutex> lock(l.mutex);
    Uses &uses = l.updates[{directive.file, directive.line, name, to_host}];
    uses.file = directive.file;
    uses.is_needed = uses.is_needed || !needless;
}

} // namespace accrs::checks
