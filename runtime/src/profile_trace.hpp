// SPDX-License-Identifier: 0BSD
//
// A profile as a file of the Chrome trace format (an array of events), which chrome://tracing and
// https://ui.perfetto.dev show: the host threads as one process, each device as another one with its
// queues as threads. What is written is readable if the program is cut off, too.
#ifndef ACCRS_PROFILE_TRACE_HPP
#define ACCRS_PROFILE_TRACE_HPP

#include <cstdio>
#include <set>
#include <string>
#include <utility>

namespace accrs {

struct RegionKey;

class ProfileTrace {
public:
    // Ends the program with an error where the file cannot be written.
    explicit ProfileTrace(const std::string &path);
    ProfileTrace(const ProfileTrace &) = delete;
    ProfileTrace &operator=(const ProfileTrace &) = delete;

    // What a thread of the host did, from then on, for so many microseconds.
    void host(int thread, const RegionKey &region, const std::string &name, double begun, double microseconds);
    // What a device did; `details` are further members of a JSON object, each after a comma.
    void device(int number, int queue, const RegionKey &region, const char *category, const std::string &name, double begun,
                double microseconds, const std::string &details);
    void finish();

private:
    void slice(int process, int thread, const RegionKey &region, const char *category, const std::string &name, double begun,
               double microseconds, const std::string &details);
    void name(const char *what, int process, int thread, const std::string &name);
    void write(const std::string &event);

    std::FILE *file_;
    double start_;
    bool is_first_ = true;
    std::set<int> processes_;                // that have their names
    std::set<std::pair<int, int>> threads_; // that have theirs
};

// What a device is called, with what its times are.
std::string device_name(int number);
// What a queue is called: a number of the program, or a special value.
std::string queue_name(int queue);

} // namespace accrs

#endif
