// SPDX-License-Identifier: 0BSD
//
// The one header of a generated kernel file: CUDA (the real one under nvcc, the emulation under
// any other compiler) and what launchers and kernels of generated code call.
#ifndef ACCRS_DEVICE_HPP
#define ACCRS_DEVICE_HPP

#include "accrs/cuda.hpp"

#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <math.h> // isnan and its like at global scope

#include "accrs/atomic.hpp"
#include "accrs/builtins.hpp"
#include "accrs/complex.hpp"
#include "accrs/constant_table.hpp"
#include "accrs/constants.hpp"
#include "accrs/global.hpp"
#include "accrs/launch.hpp"
#include "accrs/members.hpp"
#include "accrs/operators.hpp"
#include "accrs/own_array.hpp"
#include "accrs/partials.hpp"
#include "accrs/reduce.hpp"
#include "accrs/scratch.hpp"
#include "accrs/trips.hpp"

#endif
