// SPDX-License-Identifier: 0BSD
//
// Kernels that use arrays of which the device has no elements.
#ifndef ACCRS_EMULATION_FAULT_HPP
#define ACCRS_EMULATION_FAULT_HPP

namespace accrs::emulation {

// A launch at this place gets a null pointer for an array.
void note_empty(const char *file, int line, const char *directive, const char *name);

} // namespace accrs::emulation

#endif
