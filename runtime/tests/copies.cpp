// SPDX-License-Identifier: 0BSD
//
// cudaMemcpy2D and cudaMemcpy3D of the emulation: what they move, and what CUDA refuses. A copy that is
// refused has moved nothing.
#include "accrs/cuda.hpp"

#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr std::size_t width = 3, height = 4, depth = 5;       // of what is copied
constexpr std::size_t pitch = 8, rows = 6, slice = pitch * rows; // on the host; the device has it closed up
constexpr std::size_t device_bytes = 512;                        // what an allocation is held to without a watcher
int failures = 0;

void expect(bool is_true, int line)
{
    if (!is_true) {
        std::fprintf(stderr, "copies.cpp:%d is not so\n", line);
        ++failures;
    }
}
#define EXPECT(condition) expect(condition, __LINE__)

std::vector<char> numbered(std::size_t bytes, int first)
{
    std::vector<char> memory(bytes);
    for (std::size_t i = 0; i != bytes; ++i)
        memory[i] = static_cast<char>(first + static_cast<int>(i % 101));
    return memory;
}

// What the device has, after which it has something else.
std::vector<char> taken(char *device)
{
    std::vector<char> memory(device_bytes);
    EXPECT(cudaMemcpy(memory.data(), device, device_bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
    EXPECT(cudaMemset(device, '?', device_bytes) == cudaSuccess);
    return memory;
}

bool is_untouched(char *device)
{
    return taken(device) == std::vector<char>(device_bytes, '?');
}

cudaMemcpy3DParms parameters(char *to, std::size_t to_pitch, std::size_t to_rows, char *from, std::size_t from_pitch,
                             std::size_t from_rows, cudaMemcpyKind kind)
{
    cudaMemcpy3DParms p{};
    p.dstPtr = make_cudaPitchedPtr(to, to_pitch, to_pitch, to_rows);
    p.srcPtr = make_cudaPitchedPtr(from, from_pitch, from_pitch, from_rows);
    p.extent = make_cudaExtent(width, height, depth);
    p.kind = kind;
    return p;
}

void two_dimensions(char *device)
{
    std::vector<char> host = numbered(slice, 0);
    EXPECT(cudaMemcpy2D(device, width, &host[1], pitch, width, height, cudaMemcpyHostToDevice) == cudaSuccess);
    const std::vector<char> held = taken(device);
    bool right = true;
    for (std::size_t i = 0; i != device_bytes; ++i)
        right = right && held[i] == (i < width * height ? host[1 + i / width * pitch + i % width] : '?');
    EXPECT(right);
    EXPECT(cudaMemcpy2D(device, width - 1, &host[1], pitch, width, height, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy2D(device, width, &host[1], width - 1, width, height, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy2D(device, width, &host[1], pitch, width, height, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy2D(device, width, &host[1], std::size_t(1) << 31, width, 1, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    // The last row alone is behind the allocation.
    EXPECT(cudaMemcpy2D(device + device_bytes - 3 * width, width, &host[1], pitch, width, height, cudaMemcpyHostToDevice) ==
           cudaErrorInvalidValue);
    EXPECT(is_untouched(device));
    EXPECT(cudaMemcpy2D(device + device_bytes - 4 * width, width, &host[1], pitch, width, height, cudaMemcpyHostToDevice) ==
           cudaSuccess);
    EXPECT(!is_untouched(device));
    EXPECT(cudaMemcpy2D(nullptr, width, nullptr, pitch, width, 0, cudaMemcpyHostToDevice) == cudaSuccess);
    EXPECT(cudaMemcpy2D(nullptr, width, nullptr, pitch, 0, height, cudaMemcpyHostToDevice) == cudaSuccess);
}

void three_dimensions(char *device)
{
    std::vector<char> host = numbered(slice * depth, 0);
    cudaMemcpy3DParms p = parameters(device, width, height, &host[0], pitch, rows, cudaMemcpyHostToDevice);
    p.srcPos = make_cudaPos(1, 2, 0);
    EXPECT(cudaMemcpy3D(&p) == cudaSuccess);
    std::vector<char> held = taken(device);
    bool right = true;
    const auto on_host = [](std::size_t i) {
        return i / (width * height) * slice + (2 + i / width % height) * pitch + 1 + i % width;
    };
    for (std::size_t i = 0; i != device_bytes; ++i)
        right = right && held[i] == (i < width * height * depth ? host[on_host(i)] : '?');
    EXPECT(right);

    held = numbered(device_bytes, 20);
    std::vector<char> expected = host;
    for (std::size_t i = 0; i != width * height * depth; ++i)
        expected[on_host(i)] = held[i];
    EXPECT(cudaMemcpy(device, held.data(), device_bytes, cudaMemcpyHostToDevice) == cudaSuccess);
    p = parameters(&host[0], pitch, rows, device, width, height, cudaMemcpyDeviceToHost);
    p.dstPos = make_cudaPos(1, 2, 0);
    EXPECT(cudaMemcpy3DAsync(&p) == cudaSuccess && host == expected);
    (void)taken(device);
}

void three_dimensions_refused(char *device)
{
    std::vector<char> host = numbered(slice * depth, 0);
    const auto refused = [&](const auto &change) {
        cudaMemcpy3DParms p = parameters(device, width, height, &host[0], pitch, rows, cudaMemcpyHostToDevice);
        change(p);
        return cudaMemcpy3D(&p) == cudaErrorInvalidValue && is_untouched(device);
    };
    EXPECT(!refused([](cudaMemcpy3DParms &) {}));
    (void)taken(device);
    EXPECT(refused([](cudaMemcpy3DParms &p) { p.kind = cudaMemcpyDeviceToHost; }));
    EXPECT(refused([](cudaMemcpy3DParms &p) { p.dstPtr.pitch = width - 1; }));
    EXPECT(refused([](cudaMemcpy3DParms &p) { p.dstPtr.ysize = height - 1; }));
    EXPECT(refused([](cudaMemcpy3DParms &p) { p.srcPos.x = pitch - width + 1; }));
    EXPECT(refused([](cudaMemcpy3DParms &p) { p.srcPos.y = rows - height + 1; }));
    EXPECT(refused([](cudaMemcpy3DParms &p) { p.srcPtr.pitch = std::size_t(1) << 31; }));
    EXPECT(refused([](cudaMemcpy3DParms &p) { p.dstPtr.ysize = device_bytes / width / (depth - 1); })); // the last slice is behind it
    EXPECT(refused([&](cudaMemcpy3DParms &p) { p.srcPtr.ptr = device; }));
}

} // namespace

int main()
{
    void *memory = nullptr, *behind = nullptr;
    EXPECT(cudaMalloc(&memory, device_bytes) == cudaSuccess && cudaMalloc(&behind, device_bytes) == cudaSuccess);
    char *const device = static_cast<char *>(memory);
    (void)taken(device);
    two_dimensions(device);
    three_dimensions(device);
    three_dimensions_refused(device);
    EXPECT(cudaFree(memory) == cudaSuccess && cudaFree(behind) == cudaSuccess);
    return failures != 0;
}
