/*
 * N-body: bodies attract each other, all pairs, by leapfrog steps. The hiCUDA form.
 *
 * A block brings TILE bodies at a time to shared memory, and all its threads, each with a body of its
 * own, use them. Bodies stay on the device until the last step is done.
 *
 * usage: nbody_hicuda BODIES STEPS SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "bodies.h"

#ifndef TILE
#define TILE 256 /* bodies in shared memory at a time, and threads of a block */
#endif
#if TILE < 1 || TILE > 1024
#error "a block has 1 to 1024 threads"
#endif

/* What each body feels from all of them, in their order. */
static void attract(int count, const struct body *restrict bodies,
                    struct vector *restrict accelerations)
{
    #pragma hicuda kernel attract_bodies tblock((count + TILE - 1) / TILE) thread(TILE)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < count; i++) {
        const struct body here = bodies[i];
        struct vector sum = {0.0f, 0.0f, 0.0f};
        for (int first = 0; first < count; first += TILE) {
            const int end = first + TILE < count ? first + TILE : count; /* the last is partial */
            #pragma hicuda shared alloc bodies[first:first + TILE - 1] copyin
            #pragma hicuda barrier
            for (int j = first; j < end; j++)
                sum = attracted(sum, here, bodies[j]);
            #pragma hicuda barrier
            #pragma hicuda shared remove bodies
        }
        accelerations[i] = sum;
    }
    #pragma hicuda kernel_end
}

/* One step in time: the velocities first, then the places with them. */
static void move(int count, const struct vector *restrict accelerations,
                 struct vector *restrict velocities, struct body *restrict bodies)
{
    #pragma hicuda kernel move_bodies tblock((count + TILE - 1) / TILE) thread(TILE)
    #pragma hicuda loop_partition over_tblock over_thread
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
    #pragma hicuda kernel_end
}

/* All steps on the device. */
static void simulate(int count, int steps, struct body *restrict bodies,
                     struct vector *restrict velocities, struct vector *restrict accelerations)
{
    #pragma hicuda shape bodies[count]
    #pragma hicuda shape velocities[count]
    #pragma hicuda shape accelerations[count]
    #pragma hicuda global alloc bodies[*] copyin
    #pragma hicuda global alloc velocities[*] copyin
    #pragma hicuda global alloc accelerations[*]
    for (int step = 0; step < steps; step++) {
        attract(count, bodies, accelerations);
        move(count, accelerations, velocities, bodies);
    }
    #pragma hicuda global copyout bodies[*]
    #pragma hicuda global copyout velocities[*]
    #pragma hicuda global free bodies velocities accelerations
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    struct vector *accelerations =
        (struct vector *)allocate((size_t)run.count, sizeof *accelerations);
    const double start = clock_seconds();
    simulate(run.count, run.steps, run.bodies, run.velocities, accelerations);
    run_finish(&run, clock_seconds() - start);
    free(accelerations);
    return 0;
}
