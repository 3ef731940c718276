// SPDX-License-Identifier: 0BSD
//
// Queues of `async` as CUDA streams, made when first used. They do not wait for the default
// stream, on which everything synchronous runs. The host's queues are always empty. Kernels that
// accrs_nowait lets run on have a stream that is no queue of the program.
#include "device.hpp"
#include "profile.hpp"

#include "../include/accrs/launch.hpp"

namespace accrs {

void check_queue(int queue)
{
    if (queue < default_queue)
        fail(acc_error_invalid_async, "a queue is a number from 0 on, acc_async_noval, acc_async_sync or acc_async_default",
             "there is no queue %d", queue);
}

cudaStream_t Device::stream(int queue)
{
    queue = chosen_queue(queue);
    if (queue == sync_queue)
        return nullptr;
    check_queue(queue);
    if (is_host)
        return nullptr;
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    const auto known = streams_.find(queue);
    if (known != streams_.end())
        return known->second;
    cudaStream_t created = new_stream();
    streams_.emplace(queue, created);
    return created;
}

cudaStream_t Device::new_stream()
{
    cudaStream_t created = nullptr;
    const DeviceScope scope(number);
    check(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking), "making a queue");
    return created;
}

cudaStream_t Device::nowait_stream()
{
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    if (nowait_ == nullptr)
        nowait_ = new_stream();
    return nowait_;
}

void Device::wait_nowait()
{
    cudaStream_t waited = nullptr;
    {
        const std::lock_guard<std::recursive_mutex> lock(mutex);
        waited = nowait_;
    }
    if (waited == nullptr)
        return;
    const DeviceScope scope(number);
    EventData data;
    data.stream = waited;
    data.queue = nowait_queue;
    const EventScope event(acc_ev_wait_start, data);
    check(cudaStreamSynchronize(waited), "waiting for kernels");
}

void Device::wait(int queue)
{
    cudaStream_t waited = stream(queue);
    if (is_host)
        return;
    const DeviceScope scope(number);
    EventData data;
    data.stream = waited;
    data.queue = chosen_queue(queue);
    const EventScope event(acc_ev_wait_start, data);
    check(cudaStreamSynchronize(waited), "waiting for a queue");
}

// Others may put work into the device's queues while this thread waits.
std::vector<int> Device::queues()
{
    const std::lock_guard<std::recursive_mutex> lock(mutex);
    std::vector<int> numbers;
    for (const auto &queue : streams_)
        numbers.push_back(queue.first);
    return numbers;
}

void Device::wait_all()
{
    wait(sync_queue);
    for (const int queue : queues())
        wait(queue);
}

bool Device::finished(int queue)
{
    cudaStream_t asked = stream(queue);
    if (is_host)
        return true;
    const DeviceScope scope(number);
    const cudaError_t status = cudaStreamQuery(asked);
    if (status != cudaErrorNotReady)
        check(status, "asking for a queue");
    else
        (void)cudaGetLastError(); // or the next launch would seem to have failed
    return status == cudaSuccess;
}

bool Device::all_finished()
{
    for (const int queue : queues())
        if (!finished(queue))
            return false;
    return finished(sync_queue);
}

void Device::wait_async(int queue, Device &other, int waiting)
{
    cudaStream_t from = stream(queue);
    cudaStream_t to = other.stream(waiting);
    if (is_host || (from == to && this == &other))
        return;
    if (other.is_host)
        return wait(queue);
    cudaEvent_t event = nullptr;
    {
        const DeviceScope scope(number);
        check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
        check(cudaEventRecord(event, from), "recording an event");
    }
    const DeviceScope scope(other.number);
    check(cudaStreamWaitEvent(to, event, 0), "waiting for an event");
    check(cudaEventDestroy(event), "ending an event"); // CUDA frees it once it has happened
}

void Device::wait_all_async(Device &other, int waiting)
{
    (void)other.stream(waiting); // a number that is none is an error, whatever is waited for
    for (const int queue : queues())
        wait_async(queue, other, waiting);
}

} // namespace accrs
