// SPDX-License-Identifier: 0BSD
//
// The heap of a device.
#ifndef ACCRS_HEAP_HPP
#define ACCRS_HEAP_HPP

namespace accrs {

// The kernels of a file use the heap: devices get one of ACCRS_DEVICE_HEAP megabytes.
struct Heap {
    Heap() noexcept;
};

} // namespace accrs

#endif
