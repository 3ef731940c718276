#pragma once
#include "vector.h"
static inline real mean(size_t n, const real *a) { return total(n, a) / n; }
