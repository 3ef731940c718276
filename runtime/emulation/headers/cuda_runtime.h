// SPDX-License-Identifier: 0BSD
//
// CUDA's header of that name, as far as the emulation has it.
#pragma once
#ifdef __cplusplus
#include "before_all.hpp"
#else
#include "../cuda_runtime_api.h"
#endif
