// SPDX-License-Identifier: 0BSD
//
// CUDA's header of that name, as far as the emulation has it.
#pragma once
#include "cuda_runtime.h"

// Of the driver's interface, what programs of the run time use by mistake.
enum { CUDA_SUCCESS = 0 };
