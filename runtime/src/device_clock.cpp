// SPDX-License-Identifier: 0BSD
#include "device_clock.hpp"

#include "place.hpp"

#include <memory>
#include <utility>

namespace accrs {

namespace {

// A difference of events is a float, of milliseconds: 0.06 microseconds are left of it here.
constexpr float most_milliseconds = 1000;
constexpr int looks = 8;

bool is_fine(cudaError_t status)
{
    if (status == cudaSuccess)
        return true;
    (void)cudaGetLastError(); // the program's own launches are checked by it
    return false;
}

} // namespace

DeviceClock::DeviceClock()
{
    if (!is_fine(cudaEventCreate(&anchor_)))
        return;
    // The event happens between two looks at the host's clock: the closest of some pairs tells when.
    double closest = 0;
    cudaEvent_t other = nullptr;
    if (!is_fine(cudaEventCreate(&other)))
        return;
    for (int i = 0; i != looks; ++i) {
        const double before = microseconds();
        if (!is_fine(cudaEventRecord(other, nullptr)) || !is_fine(cudaEventSynchronize(other)))
            break;
        const double between = microseconds() - before;
        if (i != 0 && between >= closest)
            continue;
        closest = between;
        anchored_ = before + between / 2;
        std::swap(anchor_, other);
    }
    (void)is_fine(cudaEventDestroy(other));
}

Interval *DeviceClock::begin(cudaStream_t stream)
{
    auto interval = std::make_unique<Interval>();
    if (!unused_.empty()) {
        interval.reset(unused_.back());
        unused_.pop_back();
    } else if (!is_fine(cudaEventCreate(&interval->start)) || !is_fine(cudaEventCreate(&interval->end))) {
        return nullptr;
    }
    return is_fine(cudaEventRecord(interval->start, stream)) ? interval.release() : nullptr;
}

void DeviceClock::end(Interval &interval, cudaStream_t stream)
{
    (void)is_fine(cudaEventRecord(interval.end, stream));
}

Progress DeviceClock::progress(const Interval &interval) const
{
    const cudaError_t status = cudaEventQuery(interval.end);
    if (is_fine(status))
        return Progress::over;
    return status == cudaErrorNotReady ? Progress::under_way : Progress::failed;
}

bool DeviceClock::measure(const Interval &interval, Measured &measured)
{
    float since = 0, taken = 0;
    if (!is_fine(cudaEventSynchronize(interval.end)) || !is_fine(cudaEventElapsedTime(&since, anchor_, interval.start)) ||
        !is_fine(cudaEventElapsedTime(&taken, interval.start, interval.end)))
        return false;
    measured = {anchored_ + static_cast<double>(since) * 1000, static_cast<double>(taken) * 1000};
    return true;
}

void DeviceClock::give_back(Interval *interval)
{
    float since = 0;
    if (!is_fine(cudaEventElapsedTime(&since, anchor_, interval->end)) || since < most_milliseconds)
        return unused_.push_back(interval);
    // The new anchor: later events are measured from here.
    anchored_ += static_cast<double>(since) * 1000;
    std::swap(anchor_, interval->end);
    unused_.push_back(interval);
}

} // namespace accrs
