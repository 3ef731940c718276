// SPDX-License-Identifier: 0BSD
//
// Streams and events.
//
// Work that is late stands in its stream until the host waits for that, or other work that is carried
// out waits for an event behind it. What nothing waits for is never carried out, as the end of a
// process cuts off what a GPU still has to do.
#include "streams.hpp"

#include "emulated_device.hpp"
#include "launches.hpp"
#include "watch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace accrs::emulation {

struct Stream {
    unsigned flags = cudaStreamDefault;
    int device = 0;
    bool is_default = false;
    std::deque<std::function<void()>> work; // that is late
    std::uint64_t begun = 0;                // of all that was ever put into it

    // Behind all that is in it now.
    std::uint64_t end() const { return begun + work.size(); }
    bool joins_default() const { return (flags & cudaStreamNonBlocking) == 0; }
};

// A place in a stream.
struct Event {
    std::chrono::steady_clock::time_point recorded;
    Stream *stream = nullptr;
    std::uint64_t place = 0;
};

namespace {

struct Streams {
    // What carries out work holds it, and the work may put more into streams.
    std::recursive_mutex mutex;
    std::vector<Stream *> all;
    std::map<int, Stream> defaults; // by device

    bool has(const Stream *stream) const { return std::find(all.begin(), all.end(), stream) != all.end(); }
};

Streams &streams()
{
    static Streams *const instance = new Streams; // outlives every static object of the program
    return *instance;
}

Stream &resolve(Streams &known, cudaStream_t stream)
{
    if (stream != nullptr)
        return *stream;
    int device = 0;
    (void)cudaGetDevice(&device);
    const auto [found, is_new] = known.defaults.try_emplace(device);
    if (is_new) {
        found->second.device = device;
        found->second.is_default = true;
        known.all.push_back(&found->second);
    }
    return found->second;
}

void carry_out(Stream &stream, std::uint64_t end)
{
    while (stream.begun < end && !stream.work.empty()) {
        const std::function<void()> next = std::move(stream.work.front());
        stream.work.pop_front();
        ++stream.begun;
        int device = 0;
        (void)cudaGetDevice(&device);
        (void)cudaSetDevice(stream.device);
        next();
        (void)cudaSetDevice(device);
    }
}

// The streams that wait for this one, and the other way round: the default one of a device and those that
// were not made to be apart from it.
std::vector<Stream *> joined(const Streams &known, const Stream &stream)
{
    std::vector<Stream *> found;
    for (Stream *other : known.all)
        if (other->device == stream.device && (stream.is_default ? !other->is_default && other->joins_default()
                                                                 : stream.joins_default() && other->is_default))
            found.push_back(other);
    return found;
}

// What is put into the stream next waits for what is in the other one now.
void wait_in(Streams &known, Stream &stream, Stream *other, std::uint64_t end)
{
    if (known.has(other) && other->begun < end)
        stream.work.push_back([&known, other, end] {
            if (known.has(other))
                carry_out(*other, end);
        });
}

} // namespace

bool streams_are_late()
{
    static const bool are_late = [] {
        const char *text = std::getenv("ACCRS_EMULATED_QUEUES");
        if (text == nullptr || *text == '\0')
            return false;
        if (std::strcmp(text, "late") == 0)
            return true;
        std::fprintf(stderr, "accrs: ACCRS_EMULATED_QUEUES is '%s': expected late\n", text);
        std::exit(1);
    }();
    return are_late;
}

void put_into(cudaStream_t stream, std::function<void()> work)
{
    Streams &known = streams();
    const std::lock_guard<std::recursive_mutex> lock(known.mutex);
    Stream &into = resolve(known, stream);
    for (Stream *other : joined(known, into))
        wait_in(known, into, other, other->end());
    into.work.push_back(std::move(work));
}

void wait_for(cudaStream_t stream)
{
    watch::host_waits_for_stream(stream);
    if (!streams_are_late())
        return;
    Streams &known = streams();
    const std::lock_guard<std::recursive_mutex> lock(known.mutex);
    Stream &waited = resolve(known, stream);
    for (Stream *other : joined(known, waited))
        carry_out(*other, other->end());
    carry_out(waited, waited.end());
}

void wait_for_all()
{
    watch::host_waits_for_all();
    Streams &known = streams();
    const std::lock_guard<std::recursive_mutex> lock(known.mutex);
    for (std::size_t number = 0; number < known.all.size(); ++number) // a host's function may make another one
        carry_out(*known.all[number], known.all[number]->end());
}

bool is_of_current_device(cudaStream_t stream)
{
    int device = 0;
    (void)cudaGetDevice(&device);
    return stream == nullptr || stream->device == device;
}

bool streams_are_traced()
{
    static const char *const text = std::getenv("ACCRS_TRACE_STREAMS");
    return text != nullptr && std::strcmp(text, "1") == 0;
}

namespace {

// The number of a stream or an event in the trace; 0 is the default stream.
unsigned number_of(const void *one)
{
    static std::mutex mutex;
    static std::map<const void *, unsigned> numbers;
    const std::lock_guard<std::mutex> lock(mutex);
    if (one == nullptr)
        return 0;
    return numbers.try_emplace(one, static_cast<unsigned>(numbers.size()) + 1).first->second;
}

} // namespace

void trace_in_stream(const char *what, cudaStream_t stream)
{
    if (streams_are_traced())
        std::fprintf(stderr, "accrs stream: %s in %u\n", what, number_of(stream));
}

void trace_launch(const char *kernel, cudaStream_t stream)
{
    trace_in_stream((std::string("launch ") + kernel).c_str(), stream);
}

namespace {

// `accrs stream: WHO waits for WHAT 3`
void trace_wait(const std::string &who, const char *what, const void *one)
{
    if (streams_are_traced())
        std::fprintf(stderr, "accrs stream: %s waits for %s %u\n", who.c_str(), what, number_of(one));
}

cudaError_t wait_for_event(cudaEvent_t event)
{
    watch::host_waits_for_event(event);
    if (event == nullptr)
        return finish(cudaErrorInvalidResourceHandle);
    Streams &known = streams();
    const std::lock_guard<std::recursive_mutex> lock(known.mutex);
    if (known.has(event->stream))
        carry_out(*event->stream, event->place);
    return finish(cudaSuccess);
}

} // namespace

} // namespace accrs::emulation

using namespace accrs::emulation;

cudaError_t cudaDeviceSynchronize()
{
    wait_for_all();
    if (streams_are_traced())
        std::fprintf(stderr, "accrs stream: host waits for all\n");
    return finish(cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    Streams &known = streams();
    const std::lock_guard<std::recursive_mutex> lock(known.mutex);
    *stream = new Stream;
    (*stream)->flags = flags;
    (void)cudaGetDevice(&(*stream)->device);
    known.all.push_back(*stream);
    accrs::watch::stream_made(*stream, (*stream)->joins_default());
    return finish(cudaSuccess);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

// What is in it is carried out: CUDA gives the stream back once it is.
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    Streams &known = streams();
    const std::lock_guard<std::recursive_mutex> lock(known.mutex);
    if (stream != nullptr)
        carry_out(*stream, stream->end());
    accrs::watch::stream_ends(stream);
    known.all.erase(std::remove(known.all.begin(), known.all.end(), stream), known.all.end());
    delete stream;
    return finish(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    trace_wait("host", "stream", stream);
    wait_for(stream);
    return finish(cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void *), void *argument)
{
    in_stream(stream, [=] { function(argument); });
    return finish(cudaSuccess);
}

// Who asks is taken to go on asking.
cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    wait_for(stream);
    return finish(cudaSuccess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    if (streams_are_traced())
        trace_wait("stream " + std::to_string(number_of(stream)), "event", event);
    accrs::watch::stream_waits(stream, event);
    if (event == nullptr)
        return finish(cudaErrorInvalidResourceHandle);
    Streams &known = streams();
    const std::lock_guard<std::recursive_mutex> lock(known.mutex);
    wait_in(known, resolve(known, stream), event->stream, event->place);
    return finish(cudaSuccess);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    *event = new Event{};
    return finish(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return finish(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    if (event == nullptr)
        return finish(cudaErrorInvalidResourceHandle);
    if (streams_are_traced())
        trace_in_stream(("record event " + std::to_string(number_of(event))).c_str(), stream);
    accrs::watch::event_recorded(event, stream);
    Streams &known = streams();
    const std::lock_guard<std::recursive_mutex> lock(known.mutex);
    Stream &recorded = resolve(known, stream);
    for (Stream *other : joined(known, recorded))
        wait_in(known, recorded, other, other->end());
    event->recorded = std::chrono::steady_clock::now();
    event->stream = &recorded;
    event->place = recorded.end();
    return finish(cudaSuccess);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    trace_wait("host", "event", event);
    return wait_for_event(event);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return wait_for_event(event);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    if (start == nullptr || end == nullptr)
        return finish(cudaErrorInvalidResourceHandle);
    *milliseconds = std::chrono::duration<float, std::milli>(end->recorded - start->recorded).count();
    return finish(cudaSuccess);
}
