// SPDX-License-Identifier: 0BSD
//
// CUDA's header of that name, as far as the emulation has it.
#pragma once
#include "before_all.hpp"
