// SPDX-License-Identifier: 0BSD
//
// Events on their way to callbacks, and the tools that register them.
#include "profile.hpp"

#include "callbacks.hpp"
#include "device.hpp"
#include "nvtx.hpp"
#include "profiler.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

// The tool's, where one is linked, and glibc's: before 2.34 they are in a library of their own.
extern "C" {
#pragma weak acc_register_library
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dladdr
#pragma weak dlerror
}

namespace accrs {

namespace {

std::atomic<void (*)(char *)> error_routine{nullptr};

int thread_number()
{
    static std::atomic<int> threads{0};
    static thread_local const int own = threads.fetch_add(1);
    return own;
}

acc_callback_info place_info(acc_event_t event, int queue)
{
    const State &state = current();
    acc_callback_info info{};
    info.event_type = event;
    info.valid_bytes = sizeof info;
    info.version = 202211;
    info.device_type = on_host() ? acc_device_host : acc_device_nvidia;
    info.device_number = state.device < 0 ? 0 : state.device;
    info.thread_id = thread_number();
    info.async = info.async_queue = queue == queue_of_directive ? state.queue : queue;
    if (info.async == nowait_queue)
        info.async = info.async_queue = noval_queue; // which the program has no number for
    info.src_file = state.place.file;
    info.func_name = state.place.function;
    info.line_no = info.end_line_no = state.place.line;
    return info;
}

acc_api_info api_info(cudaStream_t stream)
{
    acc_api_info info{};
    info.device_api = on_host() ? acc_device_api_none : acc_device_api_cuda;
    info.valid_bytes = sizeof info;
    info.device_type = on_host() ? acc_device_host : acc_device_nvidia;
    info.async_handle = stream;
    return info;
}

bool is_start(acc_event_t event)
{
    return event == acc_ev_device_init_start || event == acc_ev_device_shutdown_start ||
           (event >= acc_ev_enter_data_start && event <= acc_ev_wait_end && event % 2 == 0);
}

void call(acc_event_t event, const EventData &data, acc_event_info &details, ToolInfo *tool_info)
{
    CallbackWalk walk(event);
    while (const acc_callback function = walk.next()) {
        acc_callback_info info = place_info(event, data.queue);
        acc_api_info api = api_info(data.stream);
        const std::size_t rank = walk.rank();
        const bool is_end = tool_info != nullptr && !is_start(event);
        details.other_event.tool_info = is_end && rank < tool_info->size() ? (*tool_info)[rank] : nullptr;
        function(&info, &details, &api);
        if (tool_info == nullptr || is_end)
            continue;
        tool_info->resize(std::max(tool_info->size(), rank + 1));
        (*tool_info)[rank] = details.other_event.tool_info;
    }
}

template <class Info> void begin(Info &info, acc_event_t event)
{
    info.event_type = event;
    info.valid_bytes = sizeof info;
    info.parent_construct = construct_of(current().place);
    info.implicit = current().implicit;
}

// How many dimensions, then the gangs along each.
std::array<std::size_t, 4> gangs_per_dimension(const EventData &data)
{
    const std::size_t dimensions = data.grid.z > 1 ? 3 : data.grid.y > 1 ? 2 : 1;
    return {dimensions, data.grid.x, data.grid.y, data.grid.z};
}

bool is_launch(acc_event_t event)
{
    return event == acc_ev_enqueue_launch_start || event == acc_ev_enqueue_launch_end;
}

bool is_data(acc_event_t event)
{
    return (event >= acc_ev_create && event <= acc_ev_free) ||
           (event >= acc_ev_enqueue_upload_start && event <= acc_ev_enqueue_download_end);
}

// GCC's library for OpenMP exports an entry that ends the program.
bool is_of_libgomp(const void *address)
{
    Dl_info found{};
    return dladdr == nullptr || dladdr(address, &found) == 0 ||
           (found.dli_fname != nullptr && std::strstr(found.dli_fname, "libgomp") != nullptr);
}

// Tools that are linked, preloaded or named in the environment.
void load_tools()
{
    using Entry = void (*)(acc_prof_reg, acc_prof_reg, acc_prof_lookup_func);
    Entry linked = acc_register_library;
    if (linked == nullptr && dlsym != nullptr)
        linked = reinterpret_cast<Entry>(dlsym(RTLD_DEFAULT, "acc_register_library"));
    if (linked != nullptr && !is_of_libgomp(reinterpret_cast<const void *>(linked)))
        linked(acc_callback_register, acc_callback_unregister, acc_prof_lookup);
    const char *paths = std::getenv("ACC_PROFLIB");
    if (paths == nullptr || *paths == '\0')
        return;
    if (dlopen == nullptr || dlsym == nullptr || dlerror == nullptr)
        fail("link the program with -ldl", "ACC_PROFLIB is set, but this program cannot load libraries");
    std::string rest = paths;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(';'), rest.size());
        const std::string path = rest.substr(0, end);
        rest.erase(0, end + 1);
        void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
        if (library == nullptr)
            fail("ACC_PROFLIB lists libraries, with `;` between them", "ACC_PROFLIB: %s", dlerror());
        const auto entry = reinterpret_cast<Entry>(dlsym(library, "acc_register_library"));
        if (entry == nullptr)
            fail("name a tool for OpenACC's profiling interface", "ACC_PROFLIB: '%s' has no acc_register_library", path.c_str());
        if (entry != linked)
            entry(acc_callback_register, acc_callback_unregister, acc_prof_lookup);
    }
}

// As the runtime is loaded. The profiler is called last as work begins and first as it ends.
__attribute__((constructor)) void begin_tools()
{
    load_tools();
    start_nvtx();
    start_profiler();
}

} // namespace

void dispatch(acc_event_t event, const EventData &data, ToolInfo *tool_info)
{
    acc_event_info details{};
    std::array<std::size_t, 4> gangs = gangs_per_dimension(data);
    if (is_launch(event)) {
        acc_launch_event_info &launch = details.launch_event;
        begin(launch, event);
        launch.kernel_name = data.name;
        launch.num_gangs = gangs[1] * gangs[2] * gangs[3];
        launch.num_workers = std::size_t(data.block.y) * data.block.z;
        launch.vector_length = data.block.x;
        launch.num_gangs_per_dim = gangs.data();
        launch.accrs_block[0] = data.block.x;
        launch.accrs_block[1] = data.block.y;
        launch.accrs_block[2] = data.block.z;
    } else if (is_data(event)) {
        acc_data_event_info &moved = details.data_event;
        begin(moved, event);
        moved.var_name = data.name;
        moved.bytes = data.bytes;
        moved.host_ptr = data.host;
        moved.device_ptr = data.device;
    } else {
        begin(details.other_event, event);
    }
    call(event, data, details, tool_info);
}

void report_error(const Place &place, acc_error_t code, const char *message, std::size_t runtime_info)
{
    static thread_local bool reporting = false;
    if (reporting)
        return;
    reporting = true;
    if (profiling) {
        acc_event_info details{};
        begin(details.error_event, acc_ev_error);
        details.error_event.parent_construct = construct_of(place);
        details.error_event.implicit = 1;
        details.error_event.error_code = code;
        details.error_event.error_message = message;
        details.error_event.runtime_info = runtime_info;
        call(acc_ev_error, {}, details, nullptr);
    }
    if (void (*routine)(char *) = error_routine) {
        std::string text = message; // the routine may write to it
        routine(&text[0]);
    }
    reporting = false;
}

} // namespace accrs

using namespace accrs;

extern "C" void acc_set_error_routine(void (*routine)(char *message))
{
    error_routine = routine;
}
