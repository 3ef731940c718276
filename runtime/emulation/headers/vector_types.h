// SPDX-License-Identifier: 0BSD
//
// CUDA's header of that name, as far as the emulation has it.
#pragma once
#include "cuda_runtime.h"
