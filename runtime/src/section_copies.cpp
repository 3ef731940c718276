// SPDX-License-Identifier: 0BSD
#include "section_copies.hpp"

namespace accrs {

namespace {

constexpr std::size_t most_pitch = 0x7fffffff; // cudaDevAttrMaxPitch of every device

// The steps of the dimensions, innermost first; what of them is one run of bytes goes to `run`.
std::vector<Step> steps_of(const std::vector<Dimension> &allocated, const std::vector<Dimension> &copied, std::size_t element,
                           std::size_t &run)
{
    std::vector<Step> steps;
    run = element;
    Step here{1, element, element};
    for (std::size_t d = copied.size(); d-- > 0;) {
        here.count = copied[d].length;
        if (here.count != 1) {
            const bool follows_run = steps.empty() && here.host == run && here.device == run;
            const bool follows_step = !steps.empty() && here.host == steps.back().host * steps.back().count &&
                                      here.device == steps.back().device * steps.back().count;
            if (follows_run)
                run *= here.count;
            else if (follows_step)
                steps.back().count *= here.count;
            else
                steps.push_back(here);
        }
        here.host *= copied[d].extent;
        here.device *= allocated[d].length;
    }
    return steps;
}

// Which steps a call covers; the place behind the last one stands for none.
struct Covered {
    std::size_t rows, slices;
};

Covered cover(const std::vector<Step> &steps)
{
    const std::size_t none = steps.size();
    Covered best{none, none};
    std::size_t most = 1;
    for (std::size_t rows = 0; rows != none && steps[rows].host <= most_pitch && steps[rows].device <= most_pitch; ++rows)
        for (std::size_t slices = rows + 1; slices <= none; ++slices) {
            const std::size_t runs = steps[rows].count * (slices == none ? 1 : steps[slices].count);
            if (runs > most) {
                most = runs;
                best = {rows, slices};
            }
        }
    return best;
}

cudaPitchedPtr pitched(char *begin, std::size_t row, std::size_t slice)
{
    return make_cudaPitchedPtr(begin, row, row, slice / row);
}

} // namespace

SectionCopy plan_copy(const std::vector<Dimension> &allocated, const std::vector<Dimension> &copied, std::size_t element)
{
    SectionCopy copy;
    const std::vector<Step> steps = steps_of(allocated, copied, element, copy.run);
    const Covered covered = cover(steps);
    for (std::size_t i = steps.size(); i-- > 0;)
        (i == covered.rows ? copy.rows : i == covered.slices ? copy.slices : copy.repeats.emplace_back()) = steps[i];
    std::size_t stride = element;
    for (std::size_t d = copied.size(); d-- > 0; stride *= allocated[d].length)
        copy.device += static_cast<std::size_t>(copied[d].lower - allocated[d].lower) * stride;
    return copy;
}

cudaError_t issue_copy(const SectionCopy &copy, char *host, char *device, bool to_host, cudaStream_t stream)
{
    const cudaMemcpyKind kind = to_host ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    char *to = to_host ? host : device;
    char *from = to_host ? device : host;
    if (copy.rows.count == 1)
        return cudaMemcpyAsync(to, from, copy.run, kind, stream);
    const std::size_t to_row = to_host ? copy.rows.host : copy.rows.device;
    const std::size_t from_row = to_host ? copy.rows.device : copy.rows.host;
    if (copy.slices.count == 1)
        return cudaMemcpy2DAsync(to, to_row, from, from_row, copy.run, copy.rows.count, kind, stream);
    cudaMemcpy3DParms parameters{};
    parameters.dstPtr = pitched(to, to_row, to_host ? copy.slices.host : copy.slices.device);
    parameters.srcPtr = pitched(from, from_row, to_host ? copy.slices.device : copy.slices.host);
    parameters.extent = make_cudaExtent(copy.run, copy.rows.count, copy.slices.count);
    parameters.kind = kind;
    return cudaMemcpy3DAsync(&parameters, stream);
}

} // namespace accrs
