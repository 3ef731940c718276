// SPDX-License-Identifier: 0BSD
//
// Precedence, by vector clocks. A clock says of each stream how many of its operations are over.
// An operation begins after those before it in its stream, after what the host has waited for, and
// after the events that its stream waits for; the host knows of an end by waiting for a stream, an
// event or the device. All host threads count as one: what one of them waits for, all know. Each
// operation has a span of time of its own, by which its accesses are known: launches of several host
// threads are carried out one after the other.
//
//     launch in 1; launch in 2              the second one may overlap the first
//     launch in 1; wait(1); launch in 2     it does not
#include "queues.hpp"

#include "report.hpp"

#include "../emulation/cuda_runtime.hpp"
#include "../emulation/watch.hpp"
#include "../src/region.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace accrs::checks {

namespace {

class Clock {
public:
    std::uint64_t of(std::size_t stream) const { return stream < over_.size() ? over_[stream] : 0; }

    void set(std::size_t stream, std::uint64_t operations)
    {
        if (stream >= over_.size())
            over_.resize(stream + 1, 0);
        over_[stream] = std::max(over_[stream], operations);
    }

    void join(const Clock &other)
    {
        for (std::size_t stream = 0; stream < other.over_.size(); ++stream)
            set(stream, other.over_[stream]);
    }

private:
    std::vector<std::uint64_t> over_;
};

struct Stream {
    Clock before;                        // what the next operation begins after
    std::uint64_t begun = 0;             // operations
    bool joins_default = false;          // waits for the default stream and the other way round, as CUDA has it
    bool is_default = false;
    std::deque<Operation> under_way;     // those that the host has not waited for
};

// Older ones are forgotten: what overlaps them only is not found.
constexpr std::size_t most_under_way = 1024;

struct Queues {
    std::mutex mutex;
    std::map<std::pair<int, const void *>, std::size_t> numbers;
    std::deque<Stream> streams;
    Clock host;
    std::map<const void *, Clock> events;
    std::map<std::uint64_t, std::vector<Operation>> launches; // that have others, by their time
};

Queues &queues()
{
    static auto *const instance = new Queues; // outlives all static objects
    return *instance;
}

std::size_t number_of(Queues &q, const void *stream)
{
    int device = 0;
    if (stream == nullptr)
        (void)cudaGetDevice(&device);
    const auto [known, is_new] = q.numbers.try_emplace({device, stream}, q.streams.size());
    if (is_new) {
        q.streams.emplace_back();
        q.streams.back().is_default = stream == nullptr;
    }
    return known->second;
}

void host_knows(Queues &q, const Clock &clock)
{
    q.host.join(clock);
    for (std::size_t number = 0; number < q.streams.size(); ++number) {
        auto &under_way = q.streams[number].under_way;
        while (!under_way.empty() && under_way.front().number <= q.host.of(number))
            under_way.pop_front();
    }
}

// Lets the stream begin its next operation after those of streams that CUDA orders with it.
void join_default(Queues &q, Stream &stream)
{
    if (!stream.is_default && !stream.joins_default)
        return;
    for (const Stream &other : q.streams)
        if (stream.is_default ? other.joins_default : other.is_default)
            stream.before.join(other.before);
}

std::vector<Operation> others(const Queues &q, const Clock &before)
{
    std::vector<Operation> found;
    for (std::size_t number = 0; number < q.streams.size(); ++number)
        for (const Operation &operation : q.streams[number].under_way)
            if (operation.number > before.of(number))
                found.push_back(operation);
    std::sort(found.begin(), found.end(), [](const Operation &a, const Operation &b) { return a.begin < b.begin; });
    return found;
}

} // namespace

Directive directive_here()
{
    const State &state = current();
    Directive directive{state.place.file, state.place.line, ""};
    if (state.place.file == nullptr || state.queue == nowait_queue)
        return directive;
    directive.queue = state.queue == sync_queue ? "without `async`" : "in queue " + std::to_string(chosen_queue(state.queue));
    return directive;
}

const Operation *Begun::overlapped(Tag tag) const
{
    for (const Operation &other : others)
        if (tag >= other.begin && tag < other.end)
            return &other;
    return nullptr;
}

namespace {

// Held by a launch as long as it runs.
std::mutex &turn()
{
    static auto *const instance = new std::mutex; // outlives all static objects
    return *instance;
}

Begun begin_in_turn(const void *cuda_stream)
{
    Queues &q = queues();
    if (cuda_stream != nullptr)
        queues_are_used();
    const Directive directive = directive_here();
    const std::lock_guard<std::mutex> lock(q.mutex);
    const std::size_t number = number_of(q, cuda_stream);
    const Tag begin = next_time() << time_shift;
    for (Stream &other : q.streams)
        if (!other.under_way.empty() && other.under_way.back().end == ~Tag(0))
            other.under_way.back().end = begin;
    Stream &stream = q.streams[number];
    stream.before.join(q.host);
    join_default(q, stream);
    Begun begun{{begin, ~Tag(0), number, ++stream.begun, directive}, others(q, stream.before)};
    stream.before.set(number, stream.begun);
    stream.under_way.push_back(begun.operation);
    if (stream.under_way.size() > most_under_way)
        stream.under_way.pop_front();
    return begun;
}

} // namespace

Begun operation_begins(const void *cuda_stream)
{
    const std::lock_guard<std::mutex> lock(turn());
    return begin_in_turn(cuda_stream);
}

bool is_over(const Operation &operation)
{
    Queues &q = queues();
    const std::lock_guard<std::mutex> lock(q.mutex);
    return operation.number <= q.host.of(operation.stream);
}

std::vector<Operation> others_of_launch(std::uint64_t time)
{
    Queues &q = queues();
    const std::lock_guard<std::mutex> lock(q.mutex);
    const auto found = q.launches.find(time);
    return found == q.launches.end() ? std::vector<Operation>{} : found->second;
}

} // namespace accrs::checks

namespace accrs::watch {

using namespace checks;

std::uint64_t launch_begins(const void *stream)
{
    turn().lock();
    Begun begun = begin_in_turn(stream);
    const std::uint64_t time = time_of(begun.operation.begin);
    Queues &q = queues();
    const std::lock_guard<std::mutex> lock(q.mutex);
    q.launches.erase(q.launches.begin(), q.launches.lower_bound(time > 64 ? time - 64 : 0)); // of launches that are over here
    if (!begun.others.empty())
        q.launches.emplace(time, std::move(begun.others));
    return time;
}

void launch_ends()
{
    turn().unlock();
}

void stream_made(const void *stream, bool joins_default)
{
    Queues &q = queues();
    const std::lock_guard<std::mutex> lock(q.mutex);
    const std::size_t number = number_of(q, stream);
    q.streams[number].joins_default = joins_default;
}

// Its address may be that of another one later.
void stream_ends(const void *stream)
{
    Queues &q = queues();
    const std::lock_guard<std::mutex> lock(q.mutex);
    q.numbers.erase({0, stream});
}

void host_waits_for_stream(const void *stream)
{
    Queues &q = queues();
    const std::lock_guard<std::mutex> lock(q.mutex);
    Stream &waited = q.streams[number_of(q, stream)];
    join_default(q, waited);
    host_knows(q, waited.before);
}

void host_waits_for_all()
{
    Queues &q = queues();
    const std::lock_guard<std::mutex> lock(q.mutex);
    for (const Stream &stream : q.streams)
        host_knows(q, stream.before);
}

void event_recorded(const void *event, const void *stream)
{
    Queues &q = queues();
    const std::lock_guard<std::mutex> lock(q.mutex);
    Stream &recorded = q.streams[number_of(q, stream)];
    join_default(q, recorded);
    q.events[event] = recorded.before;
}

void stream_waits(const void *stream, const void *event)
{
    Queues &q = queues();
    const std::lock_guard<std::mutex> lock(q.mutex);
    q.streams[number_of(q, stream)].before.join(q.events[event]);
}

void host_waits_for_event(const void *event)
{
    Queues &q = queues();
    const std::lock_guard<std::mutex> lock(q.mutex);
    host_knows(q, q.events[event]);
}

} // namespace accrs::watch
