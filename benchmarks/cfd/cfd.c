/*
 * CFD: a gas in three dimensions on an unstructured mesh, by finite volumes. The OpenACC form.
 *
 * usage: cfd STEPS (--mesh FILE | --generate X Y Z SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "mesh.h"

#define STAGES 3 /* of a step, after Runge and Kutta */

/* What a cell holds. */
#pragma acc routine seq
static inline struct state state_of(int cells, const float (*variables)[cells], int cell)
{
    struct state gas;
    gas.density = variables[0][cell];
    gas.momentum.x = variables[1][cell];
    gas.momentum.y = variables[2][cell];
    gas.momentum.z = variables[3][cell];
    gas.energy = variables[4][cell];
    return gas;
}

/* What a step begins with: for each cell what it holds, and how long a step it takes. */
static void begin(int cells, const float *restrict volumes,
                  const float (*restrict variables)[cells], float *restrict factors,
                  float (*restrict before)[cells])
{
    #pragma acc parallel loop present(volumes, variables, factors, before)
    for (int i = 0; i < cells; i++) {
        const struct state own = state_of(cells, variables, i);
        factors[i] = 0.5f / (sqrtf(volumes[i]) * wave_speed(own));
        for (int v = 0; v < VARIABLES; v++)
            before[v][i] = variables[v][i];
    }
}

/* What flows out of each cell. */
static void exchange(int cells, struct state stream, const int (*restrict neighbours)[cells],
                     const float (*restrict normals)[3][cells],
                     const float (*restrict variables)[cells], float (*restrict outflow)[cells])
{
    #pragma acc parallel loop present(neighbours, normals, variables, outflow)
    for (int i = 0; i < cells; i++) {
        const struct state own = state_of(cells, variables, i);
        struct state sum = {0.0f, {0.0f, 0.0f, 0.0f}, 0.0f};
        for (int face = 0; face < FACES; face++) {
            const int neighbour = neighbours[face][i];
            const struct vector normal = {normals[face][0][i], normals[face][1][i],
                                          normals[face][2][i]};
            struct state through;
            if (neighbour == WALL)
                through = flow_wall(own, normal);
            else if (neighbour == OUTSIDE)
                through = flow_outside(own, stream, normal);
            else
                through = flow_between(own, state_of(cells, variables, neighbour), normal);
            sum = add(sum, 1.0f, through);
        }
        outflow[0][i] = sum.density;
        outflow[1][i] = sum.momentum.x;
        outflow[2][i] = sum.momentum.y;
        outflow[3][i] = sum.momentum.z;
        outflow[4][i] = sum.energy;
    }
}

/* What each cell holds after a stage. */
static void advance(int cells, int stage, const float *restrict factors,
                    const float (*restrict before)[cells], const float (*restrict outflow)[cells],
                    float (*restrict variables)[cells])
{
    #pragma acc parallel loop present(factors, before, outflow, variables)
    for (int i = 0; i < cells; i++) {
        for (int v = 0; v < VARIABLES; v++)
            variables[v][i] = before[v][i] - factors[i] / (float)(STAGES - stage) * outflow[v][i];
    }
}

/* All steps on the device. */
static void simulate(const struct run *run)
{
    const int cells = run->cells;
    const struct state stream = free_stream();
    const float *volumes = run->volumes;
    const int (*neighbours)[cells] = (const int (*)[cells])run->neighbours;
    const float (*normals)[3][cells] = (const float (*)[3][cells])run->normals;
    float (*variables)[cells] = (float (*)[cells])run->variables;
    float *factors = grid_allocate((size_t)cells);
    float (*before)[cells] = (float (*)[cells])grid_allocate(VARIABLES * (size_t)cells);
    float (*outflow)[cells] = (float (*)[cells])grid_allocate(VARIABLES * (size_t)cells);

    #pragma acc data copyin(volumes[0:cells], neighbours[0:FACES][0:cells], \
                            normals[0:FACES][0:3][0:cells]) \
                     copy(variables[0:VARIABLES][0:cells]) \
                     create(factors[0:cells], before[0:VARIABLES][0:cells], \
                            outflow[0:VARIABLES][0:cells])
    for (int step = 0; step < run->steps; step++) {
        begin(cells, volumes, (const float (*)[cells])variables, factors, before);
        for (int stage = 0; stage < STAGES; stage++) {
            exchange(cells, stream, neighbours, normals, (const float (*)[cells])variables,
                     outflow);
            advance(cells, stage, factors, (const float (*)[cells])before,
                    (const float (*)[cells])outflow, variables);
        }
    }
    free(factors);
    free(before);
    free(outflow);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    simulate(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
