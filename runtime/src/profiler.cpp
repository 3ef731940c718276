// SPDX-License-Identifier: 0BSD
//
// A tool of OpenACC's profiling interface, as others are that ACC_PROFLIB names; beside what callbacks
// are told it knows the words of directives, and which time they are reached. Times of launches and
// copies are those of events on their streams: nothing is waited for before the program ends.
#include "profiler.hpp"

#include "device_clock.hpp"
#include "place.hpp"
#include "profile_table.hpp"
#include "profile_trace.hpp"
#include "region.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <unistd.h>
#include <vector>

namespace accrs {

namespace {

// Work that may be under way: its times are not known yet.
struct Begun {
    Interval *interval;
    const RegionKey *region;
    Work *work;
    int device, queue;
    std::size_t bytes;
    Shape shape;
};

struct Clocked {
    explicit Clocked(int number) : number(number) {}
    const int number;
    DeviceClock clock;
    std::vector<Begun> begun;
    std::size_t next_look = 256; // how long that list is to be for the next look
};

// A directive or wait of the host that has begun.
struct HostWork {
    double begun;
};

void at_exit();

class Profiler {
public:
    Profiler(bool has_table, const std::string &trace) : has_table_(has_table), process_(getpid())
    {
        if (!trace.empty())
            trace_ = std::make_unique<ProfileTrace>(trace);
    }

    void arrive(const acc_callback_info &info)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        (void)region(info);
    }

    void host_has_done(const acc_callback_info &info, double begun)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        Regions::value_type &at = region(info);
        const double taken = microseconds() - begun;
        const std::string queue = queue_name(static_cast<int>(info.async));
        if (info.event_type == acc_ev_wait_end) {
            Work &waiting = work(at.second, WorkKind::wait, queue);
            ++waiting.count;
            waiting.times.add(taken);
        }
        if (trace_)
            trace_->host(info.thread_id, at.first, label(info.event_type, at.first, queue), begun, taken);
    }

    Interval *begin(const acc_callback_info &info, cudaStream_t stream)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::unique_ptr<Clocked> &device = devices_[info.device_number];
        if (device == nullptr) {
            device = std::make_unique<Clocked>(info.device_number);
            // CUDA goes as the program ends, before handlers that were there before it.
            (void)std::atexit(at_exit);
        }
        return device->clock.begin(stream);
    }

    void end(const acc_callback_info &info, cudaStream_t stream, Interval *interval, WorkKind kind, const char *name,
             std::size_t bytes, Shape shape)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        Regions::value_type &at = region(info);
        Work &done = work(at.second, kind, name == nullptr ? "" : name);
        if (done.count == 0)
            done.shape = shape;
        done.varies = done.varies || !same(done.shape.grid, shape.grid) || !same(done.shape.block, shape.block);
        ++done.count;
        done.bytes += bytes;
        if (interval == nullptr)
            return;
        Clocked &device = *devices_.at(info.device_number);
        device.clock.end(*interval, stream);
        device.begun.push_back({interval, &at.first, &done, device.number, static_cast<int>(info.async), bytes, shape});
        if (device.begun.size() >= device.next_look)
            look(device);
    }

    // At the program's end, while CUDA is still there.
    void finish()
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (is_finished_ || getpid() != process_) // a child of fork has the parent's figures
            return;
        is_finished_ = true;
        for (auto &[number, device] : devices_) {
            (void)cudaSetDevice(number);
            for (const Begun &begun : device->begun)
                take(*device, begun);
            device->begun.clear();
        }
        if (trace_)
            trace_->finish();
        if (!has_table_)
            return;
        std::fflush(stdout);
        for (const auto &[number, device] : devices_)
            std::fprintf(stderr, "accrs profile: %s\n", device_name(number).c_str());
        if (devices_.empty())
            std::fprintf(stderr, "accrs profile: nothing ran on a device\n");
        else
            print_table(regions_, stderr);
    }

private:
    // What the host did until this event.
    static std::string label(acc_event_t end, const RegionKey &region, const std::string &queue)
    {
        switch (end) {
        case acc_ev_enter_data_end:
            return "enter data";
        case acc_ev_exit_data_end:
            return "exit data";
        case acc_ev_wait_end:
            return "wait for " + queue;
        default:
            return region.construct;
        }
    }

    static bool same(dim3 a, dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

    Regions::value_type &region(const acc_callback_info &info)
    {
        const State &state = current();
        const auto text = [](const char *of) { return std::string(of == nullptr ? "" : of); };
        const Place &place = state.place;
        Regions::value_type &found = *regions_.try_emplace({text(place.file), place.line, text(place.directive), text(place.function)}).first;
        unsigned long long &latest = found.second.arrivals[info.thread_id];
        // A region within itself ends after it was reached again.
        if (place.arrival > latest) {
            latest = place.arrival;
            ++found.second.reached;
        }
        return found;
    }

    static Work &work(RegionCounts &region, WorkKind kind, const std::string &name)
    {
        for (Work &known : region.works)
            if (known.kind == kind && known.name == name)
                return known;
        region.works.push_back({kind, name});
        return region.works.back();
    }

    // Takes what is over, so that the list stays short.
    void look(Clocked &device)
    {
        std::vector<Begun> left;
        for (const Begun &begun : device.begun) {
            if (device.clock.progress(*begun.interval) == Progress::under_way)
                left.push_back(begun);
            else
                take(device, begun);
        }
        device.begun = std::move(left);
        device.next_look = std::max<std::size_t>(256, 2 * device.begun.size());
    }

    void take(Clocked &device, const Begun &begun)
    {
        Measured measured{};
        if (!device.clock.measure(*begun.interval, measured))
            return;
        device.clock.give_back(begun.interval);
        begun.work->times.add(measured.microseconds);
        if (!trace_)
            return;
        const bool is_launch = begun.work->kind == WorkKind::launch;
        const char *category = is_launch ? "launch" : begun.work->kind == WorkKind::to_device ? "to-device" : "to-host";
        const auto list = [](dim3 of) {
            return "[" + std::to_string(of.x) + "," + std::to_string(of.y) + "," + std::to_string(of.z) + "]";
        };
        const std::string details = is_launch ? ",\"grid\":" + list(begun.shape.grid) + ",\"block\":" + list(begun.shape.block)
                                              : ",\"bytes\":" + std::to_string(begun.bytes);
        trace_->device(begun.device, begun.queue, *begun.region, category, begun.work->name, measured.begun,
                       measured.microseconds, details);
    }

    const bool has_table_;
    const pid_t process_;
    bool is_finished_ = false;
    std::mutex mutex_;
    Regions regions_;
    std::map<int, std::unique_ptr<Clocked>> devices_;
    std::unique_ptr<ProfileTrace> trace_;
};

Profiler *profiler = nullptr; // never destroyed: programs use devices in their own destructors

void at_exit()
{
    profiler->finish();
}

void host_begins(acc_callback_info *info, acc_event_info *event, acc_api_info *)
{
    profiler->arrive(*info);
    event->other_event.tool_info = new HostWork{microseconds()};
}

void host_ends(acc_callback_info *info, acc_event_info *event, acc_api_info *)
{
    const std::unique_ptr<HostWork> work(static_cast<HostWork *>(event->other_event.tool_info));
    if (work != nullptr)
        profiler->host_has_done(*info, work->begun);
}

void work_begins(acc_callback_info *info, acc_event_info *event, acc_api_info *api)
{
    auto *const stream = static_cast<cudaStream_t>(const_cast<void *>(api->async_handle));
    event->other_event.tool_info = profiler->begin(*info, stream);
}

void work_ends(acc_callback_info *info, acc_event_info *event, acc_api_info *api)
{
    auto *const stream = static_cast<cudaStream_t>(const_cast<void *>(api->async_handle));
    auto *const interval = static_cast<Interval *>(event->other_event.tool_info);
    if (event->event_type == acc_ev_enqueue_launch_end) {
        const acc_launch_event_info &launch = event->launch_event;
        const auto length = [](std::size_t of) { return static_cast<unsigned>(of); };
        const std::size_t *gangs = launch.num_gangs_per_dim;
        const std::size_t *block = launch.accrs_block;
        const Shape shape{dim3(length(gangs[1]), length(gangs[2]), length(gangs[3])),
                          dim3(length(block[0]), length(block[1]), length(block[2]))};
        return profiler->end(*info, stream, interval, WorkKind::launch, launch.kernel_name, 0, shape);
    }
    const WorkKind kind = event->event_type == acc_ev_enqueue_upload_end ? WorkKind::to_device : WorkKind::to_host;
    profiler->end(*info, stream, interval, kind, event->data_event.var_name, event->data_event.bytes, {});
}

bool is_on(const char *variable)
{
    const char *text = std::getenv(variable);
    return text != nullptr && *text != '\0' && std::strcmp(text, "0") != 0;
}

// `%p` in a file's name is the number of the process: each rank of MPI has a file of its own.
std::string trace_path(std::string text)
{
    for (std::size_t at = text.find("%p"); at != std::string::npos; at = text.find("%p", at))
        text.replace(at, 2, std::to_string(getpid()));
    return text;
}

} // namespace

void start_profiler()
{
    // By their own names where the program says what others understand.
    bool has_table = is_on("NVCOMPILER_ACC_TIME") || is_on("PGI_ACC_TIME");
    std::string trace;
    if (is_on("ACCRS_PROFILE")) {
        const std::string text = std::getenv("ACCRS_PROFILE");
        const std::string end = ".json";
        if (text == "1")
            has_table = true;
        else if (text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0)
            trace = trace_path(text);
        else
            fail("1 prints a table as the program ends, FILE.json writes a trace", "ACCRS_PROFILE is '%s'", text.c_str());
    }
#if ACCRS_CHECKED
    return; // its events would be waits that the program does not have
#endif
    if (!has_table && trace.empty())
        return;
    profiler = new Profiler(has_table, trace);
    (void)std::atexit(at_exit); // where no device is used
    for (const acc_event_t start : {acc_ev_enter_data_start, acc_ev_exit_data_start, acc_ev_update_start,
                                    acc_ev_compute_construct_start, acc_ev_wait_start}) {
        acc_callback_register(start, host_begins, acc_reg);
        acc_callback_register(static_cast<acc_event_t>(start + 1), host_ends, acc_reg);
    }
    for (const acc_event_t start : {acc_ev_enqueue_launch_start, acc_ev_enqueue_upload_start, acc_ev_enqueue_download_start}) {
        acc_callback_register(start, work_begins, acc_reg);
        acc_callback_register(static_cast<acc_event_t>(start + 1), work_ends, acc_reg);
    }
}

} // namespace accrs
