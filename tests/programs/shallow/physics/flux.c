#include "flux.h"

const char *const flux_names[] = {"rusanov", "hll", 0};
