/*
 * The gas that cfd computes: what holds in a cell and at a face, shared by all forms.
 *
 * The Euler equations for an ideal gas in three dimensions, by finite volumes: what a cell has of
 * mass, momentum and energy changes by what flows through its faces. As in the Rodinia suite (after
 * Corrigan, Camelli, Löhner and Wallin, 2009) a face takes the mean of both sides' flows and some
 * artificial viscosity.
 */
#ifndef BENCHMARKS_CFD_GAS_H
#define BENCHMARKS_CFD_GAS_H

#include <math.h>

#include "../common/program.h"

#define GAMMA 1.4f     /* ratio of the specific heats of air */
#define SMOOTHING 0.2f /* how much artificial viscosity */
#define MACH 1.2f      /* speed of the free stream over that of sound */
#define SINK 0.125f    /* of its speed, how much goes towards the wall: down */

#define FACES 4      /* of a cell */
#define VARIABLES 5  /* of a cell: density, momentum in x, y and z, energy */
#define WALL (-1)    /* in the place of a neighbour: nothing flows through */
#define OUTSIDE (-2) /* in the place of a neighbour: the free stream */

struct vector {
    float x, y, z;
};

/* What a volume holds; also how much of it flows through a face. */
struct state {
    float density;
    struct vector momentum;
    float energy;
};

ON_DEVICE static inline float dot(struct vector a, struct vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

ON_DEVICE static inline float pressure(struct state gas)
{
    return (GAMMA - 1.0f) * (gas.energy - 0.5f * dot(gas.momentum, gas.momentum) / gas.density);
}

/* How fast waves go: the gas itself and sound in it. */
ON_DEVICE static inline float wave_speed(struct state gas)
{
    return sqrtf(dot(gas.momentum, gas.momentum)) / gas.density +
           sqrtf(GAMMA * pressure(gas) / gas.density);
}

/* a + factor * b */
ON_DEVICE static inline struct state add(struct state a, float factor, struct state b)
{
    a.density += factor * b.density;
    a.momentum.x += factor * b.momentum.x;
    a.momentum.y += factor * b.momentum.y;
    a.momentum.z += factor * b.momentum.z;
    a.energy += factor * b.energy;
    return a;
}

/* What flows through a face in a gas; `normal` is as long as the face is large. */
ON_DEVICE static inline struct state flow(struct state gas, struct vector normal)
{
    const float speed = dot(gas.momentum, normal) / gas.density, push = pressure(gas);
    struct state through;
    through.density = gas.density * speed;
    through.momentum.x = gas.momentum.x * speed + push * normal.x;
    through.momentum.y = gas.momentum.y * speed + push * normal.y;
    through.momentum.z = gas.momentum.z * speed + push * normal.z;
    through.energy = (gas.energy + push) * speed;
    return through;
}

/* What flows out between two cells. */
ON_DEVICE static inline struct state flow_between(struct state own, struct state other,
                                                  struct vector normal)
{
    struct state none = {0.0f, {0.0f, 0.0f, 0.0f}, 0.0f};
    const float viscosity = 0.5f * SMOOTHING * sqrtf(dot(normal, normal)) *
                            (wave_speed(own) + wave_speed(other));
    struct state through = add(none, 0.5f, flow(own, normal));
    through = add(through, 0.5f, flow(other, normal));
    through = add(through, viscosity, own);
    return add(through, -viscosity, other);
}

/* What flows out into the free stream. */
ON_DEVICE static inline struct state flow_outside(struct state own, struct state stream,
                                                  struct vector normal)
{
    struct state none = {0.0f, {0.0f, 0.0f, 0.0f}, 0.0f};
    struct state through = add(none, 0.5f, flow(own, normal));
    return add(through, 0.5f, flow(stream, normal));
}

/* What a wall takes: it is pushed. */
ON_DEVICE static inline struct state flow_wall(struct state own, struct vector normal)
{
    const float push = pressure(own);
    struct state through = {0.0f, {push * normal.x, push * normal.y, push * normal.z}, 0.0f};
    return through;
}

/* The gas far away: along x, and a little down. */
static inline struct state free_stream(void)
{
    const float density = 1.4f, push = 1.0f;
    const float speed = MACH * sqrtf(GAMMA * push / density);
    struct state stream = {density, {density * speed, 0.0f, -SINK * density * speed}, 0.0f};
    stream.energy = push / (GAMMA - 1.0f) +
                    0.5f * dot(stream.momentum, stream.momentum) / density;
    return stream;
}

#endif
