// SPDX-License-Identifier: 0BSD
//
// Copies to and from constant and device variables. Constant memory is small: the variables of a
// file that are copied to must fit in it together, as nvcc asks of those that a file declares.
#include "cuda_runtime.hpp"
#include "emulated_device.hpp"
#include "streams.hpp"

#include <cstring>
#include <map>
#include <mutex>

namespace accrs::emulation {

namespace {

// The constant variables of one file.
class ConstantMemory {
public:
    // Whether there is room for it beside those that were copied to before.
    bool holds(const void *symbol, std::size_t size)
    {
        if (!symbols_.try_emplace(symbol, size).second)
            return true;
        used_ += size;
        int most = 0;
        return cudaDeviceGetAttribute(&most, cudaDevAttrTotalConstantMemory, 0) == cudaSuccess &&
               used_ <= static_cast<std::size_t>(most);
    }

private:
    std::map<const void *, std::size_t> symbols_;
    std::size_t used_ = 0;
};

bool fits(const void *file, const void *symbol, std::size_t size)
{
    static std::mutex mutex;
    static auto *const files = new std::map<const void *, ConstantMemory>; // outlives all static objects
    const std::lock_guard<std::mutex> lock(mutex);
    return (*files)[file].holds(symbol, size);
}

bool lies_within(std::size_t size, std::size_t bytes, std::size_t offset)
{
    return offset <= size && bytes <= size - offset;
}

cudaError_t refuse(cudaError_t error)
{
    set_last_error(error);
    return error;
}

// A copy in which the symbol's side counts as memory of the device.
cudaError_t copy(void *to, const void *from, std::size_t bytes, bool to_symbol, cudaMemcpyKind kind, cudaStream_t stream)
{
    const void *other = to_symbol ? from : to;
    const bool other_is_device = kind == cudaMemcpyDeviceToDevice ||
                                 (kind == cudaMemcpyDefault && is_device_memory(other));
    const cudaMemcpyKind expected = to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    if (kind != expected && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return refuse(cudaErrorInvalidMemcpyDirection);
    if (bytes != 0 && (other_is_device ? !holds_device_memory(other, bytes) : is_device_memory(other)))
        return refuse(cudaErrorInvalidValue);
    in_stream(stream, [=] { std::memcpy(to, from, bytes); });
    return cudaSuccess;
}

} // namespace

cudaError_t copy_to_symbol(const void *file, void *symbol, std::size_t size, const void *from, std::size_t bytes,
                           std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
    if (!fits(file, symbol, size))
        return refuse(cudaErrorInvalidSymbol);
    if (!lies_within(size, bytes, offset))
        return refuse(cudaErrorInvalidValue);
    const cudaError_t status = copy(static_cast<char *>(symbol) + offset, from, bytes, true, kind, stream);
    if (waits)
        wait_for(stream);
    return status;
}

cudaError_t no_symbol()
{
    return refuse(cudaErrorInvalidSymbol);
}

cudaError_t copy_from_symbol(void *to, const void *symbol, std::size_t size, std::size_t bytes, std::size_t offset,
                             cudaMemcpyKind kind)
{
    if (!lies_within(size, bytes, offset))
        return refuse(cudaErrorInvalidValue);
    const cudaError_t status = copy(to, static_cast<const char *>(symbol) + offset, bytes, false, kind, nullptr);
    wait_for(nullptr);
    return status;
}

} // namespace accrs::emulation
