#include "limiter.h"

const char *const limiter_names[] = {"none", "minmod", "vanleer", "central", 0};
