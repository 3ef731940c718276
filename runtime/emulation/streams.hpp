// SPDX-License-Identifier: 0BSD
//
// Work in streams: launches, copies, releases of memory, waits for events. It is carried out at once,
// so that it is over when the call returns; with ACCRS_EMULATED_QUEUES=late when something waits for
// it, which shows what a wait that is missing can do.
#ifndef ACCRS_EMULATION_STREAMS_HPP
#define ACCRS_EMULATION_STREAMS_HPP

#include "cuda_runtime_api.h"

#include <functional>
#include <utility>

namespace accrs::emulation {

bool streams_are_late();

// Behind what is in the stream, and what is in those that CUDA has it wait for. Null is the default stream
// of the current device.
void put_into(cudaStream_t stream, std::function<void()> work);

template <class Work> void in_stream(cudaStream_t stream, Work work)
{
    if (streams_are_late())
        put_into(stream, std::move(work));
    else
        work();
}

// The host waits for the stream; for all of all devices.
void wait_for(cudaStream_t stream);
void wait_for_all();

// With ACCRS_TRACE_STREAMS=1 what programs put into streams and wait for is told on standard error, in
// the order of the host: what a GPU could do later.
bool streams_are_traced();
// `accrs stream: WHAT in 1`
void trace_in_stream(const char *what, cudaStream_t stream);

} // namespace accrs::emulation

#endif
