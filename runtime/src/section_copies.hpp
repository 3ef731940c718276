// SPDX-License-Identifier: 0BSD
//
// Copies between a section of a host array and its rows on the device, which are closed up.
//
// A dimension of the section is a step: so many times, so many bytes on in either memory. Dimensions
// of length 1 are none. From the innermost outwards, dimensions that follow each other without a gap
// in both memories, as those do of which the inner ones are whole in both, become one run of bytes,
// and further out one step. What is left beside the run are steps n1, n2, ..., ns. A call copies a run
// (cudaMemcpy), the runs of one step (cudaMemcpy2D) or of two steps (cudaMemcpy3D), so that
//
//     calls = n1 * n2 * ... * ns / (the product of the two largest of them)
//
// and a section of up to three dimensions takes one call. CUDA takes no rows that are 2 GiB or more
// apart: of the two steps that a call covers, the inner one is the largest whose bytes are fewer, and
// where there is no such step each run is a call.
#ifndef ACCRS_SECTION_COPIES_HPP
#define ACCRS_SECTION_COPIES_HPP

#include "../include/accrs/cuda.hpp"
#include "region.hpp"

#include <cstddef>
#include <vector>

namespace accrs {

struct Step {
    std::size_t count = 1;
    std::size_t host = 0; // bytes on
    std::size_t device = 0;
};

struct SectionCopy {
    std::size_t device = 0; // bytes from the beginning of the device memory to the first one copied
    std::size_t run = 0;
    Step rows, slices;         // what each call covers
    std::vector<Step> repeats; // what calls are repeated for, outermost first

    std::size_t bytes_a_call() const { return run * rows.count * slices.count; }
};

// The copy of a section that lies within the allocated one and has elements. Only lower bounds,
// lengths and inner extents are read; the extents are those of the host's array.
SectionCopy plan_copy(const std::vector<Dimension> &allocated, const std::vector<Dimension> &copied, std::size_t element);

// Calls `visit` for each call, with the bytes on the host and on the device between it and the first one.
template <class Visit> void for_each_call(const SectionCopy &copy, const Visit &visit)
{
    std::vector<std::size_t> index(copy.repeats.size(), 0);
    std::size_t host = 0, device = 0;
    for (;;) {
        visit(host, device);
        std::size_t at = index.size();
        for (; at > 0; --at) {
            const Step &step = copy.repeats[at - 1];
            host += step.host, device += step.device;
            if (++index[at - 1] != step.count)
                break;
            index[at - 1] = 0;
            host -= step.host * step.count, device -= step.device * step.count;
        }
        if (at == 0)
            return;
    }
}

// One call of the copy; `host` and `device` are where it begins.
cudaError_t issue_copy(const SectionCopy &copy, char *host, char *device, bool to_host, cudaStream_t stream);

} // namespace accrs

#endif
