// SPDX-License-Identifier: 0BSD
#include "profile_trace.hpp"

#include "json.hpp"
#include "place.hpp"
#include "profiler.hpp"
#include "region.hpp"

#include <cerrno>
#include <cstring>

namespace accrs {

namespace {

constexpr int host_process = 0; // devices follow

std::string number(double value)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.3f", value);
    return text;
}

// Numbers of threads are not negative.
int thread_of(int queue)
{
    return queue >= 0 ? queue + 2 : queue == sync_queue ? 0 : 1;
}

} // namespace

std::string queue_name(int queue)
{
    return queue >= 0 ? "queue " + std::to_string(queue) : queue == sync_queue ? "synchronous" : "kernels that run on";
}

std::string device_name(int number)
{
#if ACCRS_EMULATED
    return "emulated device " + std::to_string(number) + ", with times of this machine's processor, not of a GPU";
#else
    cudaDeviceProp properties{};
    const bool is_known = cudaGetDeviceProperties(&properties, number) == cudaSuccess;
    return "device " + std::to_string(number) + ", " + (is_known ? properties.name : "which does not tell its name");
#endif
}

ProfileTrace::ProfileTrace(const std::string &path) : file_(std::fopen(path.c_str(), "w")), start_(microseconds())
{
    if (file_ == nullptr)
        fail(acc_error_system, "ACCRS_PROFILE names it", "the profile '%s' cannot be written: %s", path.c_str(), std::strerror(errno));
}

void ProfileTrace::write(const std::string &event)
{
    std::fprintf(file_, "%s%s", is_first_ ? "[\n" : ",\n", event.c_str());
    is_first_ = false;
}

void ProfileTrace::name(const char *what, int process, int thread, const std::string &name)
{
    write(std::string("{\"name\":") + quoted(what) + ",\"ph\":\"M\",\"pid\":" + std::to_string(process) +
          ",\"tid\":" + std::to_string(thread) + ",\"args\":{\"name\":" + quoted(name) + "}}");
}

void ProfileTrace::slice(int process, int thread, const RegionKey &region, const char *category, const std::string &name,
                         double begun, double microseconds, const std::string &details)
{
    const std::string place = region.file.empty() ? "" : region.file + ":" + std::to_string(region.line);
    write("{\"name\":" + quoted(name) + ",\"cat\":" + quoted(category) + ",\"ph\":\"X\",\"ts\":" + number(begun - start_) +
          ",\"dur\":" + number(microseconds) + ",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(thread) +
          ",\"args\":{\"place\":" + quoted(place) + ",\"function\":" + quoted(region.function) +
          ",\"construct\":" + quoted(region.construct) + details + "}}");
}

void ProfileTrace::host(int thread, const RegionKey &region, const std::string &label, double begun, double microseconds)
{
    if (processes_.insert(host_process).second)
        name("process_name", host_process, thread, "host");
    if (threads_.insert({host_process, thread}).second)
        name("thread_name", host_process, thread, "thread " + std::to_string(thread));
    slice(host_process, thread, region, "host", label, begun, microseconds, "");
}

void ProfileTrace::device(int number, int queue, const RegionKey &region, const char *category, const std::string &label,
                          double begun, double microseconds, const std::string &details)
{
    const int process = host_process + 1 + number;
    const int thread = thread_of(queue);
    if (processes_.insert(process).second)
        name("process_name", process, thread, device_name(number));
    if (threads_.insert({process, thread}).second)
        name("thread_name", process, thread, queue_name(queue));
    slice(process, thread, region, category, label, begun, microseconds, details);
}

void ProfileTrace::finish()
{
    std::fprintf(file_, "%s\n]\n", is_first_ ? "[" : "");
    if (std::fclose(file_) != 0)
        std::fprintf(stderr, "accrs: the profile could not be written: %s\n", std::strerror(errno));
}

} // namespace accrs
