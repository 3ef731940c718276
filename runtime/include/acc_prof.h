/* SPDX-License-Identifier: 0BSD */
/* The header of callbacks by its name before OpenACC 3.2. */
#ifndef ACC_PROF_H
#define ACC_PROF_H

#include "acc_callback.h"

#endif
