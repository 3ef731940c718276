/*
 * N-body: bodies attract each other, all pairs, by leapfrog steps. The OpenMP form.
 *
 * usage: nbody_omp BODIES STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "bodies.h"

/* What each body feels from all of them, in their order. */
static void attract(int count, const struct body *restrict bodies,
                    struct vector *restrict accelerations)
{
    #pragma omp parallel for
    for (int i = 0; i < count; i++) {
        const struct body here = bodies[i];
        struct vector sum = {0.0f, 0.0f, 0.0f};
        for (int j = 0; j < count; j++)
            sum = attracted(sum, here, bodies[j]);
        accelerations[i] = sum;
    }
}

/* One step in time: the velocities first, then the places with them. */
static void move(int count, const struct vector *restrict accelerations,
                 struct vector *restrict velocities, struct body *restrict bodies)
{
    #pragma omp parallel for
    for (int i = 0; i < count; i++) {
        struct vector velocity = velocities[i];
        velocity.x += TIME_STEP * accelerations[i].x;
        velocity.y += TIME_STEP * accelerations[i].y;
        velocity.z += TIME_STEP * accelerations[i].z;
        bodies[i].x += TIME_STEP * velocity.x;
        bodies[i].y += TIME_STEP * velocity.y;
        bodies[i].z += TIME_STEP * velocity.z;
        velocities[i] = velocity;
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    struct vector *accelerations =
        (struct vector *)allocate((size_t)run.count, sizeof *accelerations);
    const double start = clock_seconds();
    for (int step = 0; step < run.steps; step++) {
        attract(run.count, run.bodies, accelerations);
        move(run.count, accelerations, run.velocities, run.bodies);
    }
    run_finish(&run, clock_seconds() - start);
    free(accelerations);
    return 0;
}
