// SPDX-License-Identifier: 0BSD
//
// When pieces of work on a device began, and how long they took: by CUDA's events on the streams that
// have the work. On the emulation these are the processor's clock.
#ifndef ACCRS_DEVICE_CLOCK_HPP
#define ACCRS_DEVICE_CLOCK_HPP

#include "../include/accrs/cuda.hpp"

#include <vector>

namespace accrs {

// A piece of work between two events of its stream.
struct Interval {
    cudaEvent_t start;
    cudaEvent_t end;
};

struct Measured {
    double begun;        // on the host's clock, microseconds
    double microseconds; // that it took
};

enum class Progress { under_way, over, failed };

// The clock of the device that is CUDA's current one, in each of these calls.
class DeviceClock {
public:
    // Waits for the device's default stream, to know what its events are on the host's clock.
    DeviceClock();
    // Null where CUDA has failed.
    Interval *begin(cudaStream_t stream);
    void end(Interval &interval, cudaStream_t stream);
    // Never waits.
    Progress progress(const Interval &interval) const;
    // Waits until it is over; false where CUDA has failed.
    bool measure(const Interval &interval, Measured &measured);
    // Its events serve again.
    void give_back(Interval *interval);

private:
    cudaEvent_t anchor_ = nullptr;
    double anchored_ = 0; // when that was, on the host's clock
    std::vector<Interval *> unused_;
};

} // namespace accrs

#endif
