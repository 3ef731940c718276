/* Slopes of a quantity in a cell from its neighbours, limited so that no new extremes arise. */
#ifndef LIMITER_H
#define LIMITER_H

#include <math.h>

enum limiter { LIMITER_NONE, LIMITER_MINMOD, LIMITER_VAN_LEER, LIMITER_CENTRAL };

extern const char *const limiter_names[];

/* From the difference to the cell behind and that to the cell ahead; half of it goes to a face. */
#pragma acc routine seq
static inline double limited_slope(enum limiter limiter, double behind, double ahead)
{
    const double product = behind * ahead;
    switch (limiter) {
    case LIMITER_MINMOD:
        if (product <= 0.0)
            return 0.0;
        return fabs(behind) < fabs(ahead) ? behind : ahead;
    case LIMITER_VAN_LEER:
        return product <= 0.0 ? 0.0 : 2.0 * product / (behind + ahead);
    case LIMITER_CENTRAL: {
        /* Monotonised: no steeper than twice either difference. */
        const double mean = 0.5 * (behind + ahead);
        const double most = 2.0 * fmin(fabs(behind), fabs(ahead));
        if (product <= 0.0)
            return 0.0;
        return copysign(fmin(fabs(mean), most), mean);
    }
    default:
        return 0.0;
    }
}

#endif
