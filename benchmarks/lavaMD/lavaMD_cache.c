/*
 * LavaMD: what particles feel of those in their box and in the 26 boxes around it. The cache form.
 *
 * As the fcw form, with the standard's directive: it promises nothing that the program relies on.
 *
 * usage: lavaMD_cache PLANES ROWS COLUMNS PARTICLES SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "particles.h"

#ifndef BLOCK
#define BLOCK 128 /* threads of a block */
#endif
#if BLOCK < 1 || BLOCK > 1024
#error "a block has 1 to 1024 threads"
#endif

/* What each particle feels of those in the boxes around it, box by box. */
static void feel_all(int planes, int rows, int columns, int particles,
                     const struct vector *restrict places, const double *restrict charges,
                     struct vector *restrict felt)
{
    #pragma acc parallel loop gang vector_length(BLOCK) present(places, charges, felt)
    for (int box = 0; box < planes * rows * columns; box++) {
        const int plane = box / columns / rows, row = box / columns % rows, column = box % columns;
        #pragma acc loop vector
        for (int i = box * particles; i < (box + 1) * particles; i++) {
            const struct vector own = places[i];
            struct vector sum = {0.0, 0.0, 0.0, 0.0};
            for (int z = plane > 0 ? plane - 1 : 0; z < planes && z <= plane + 1; z++) {
                for (int y = row > 0 ? row - 1 : 0; y < rows && y <= row + 1; y++) {
                    for (int x = column > 0 ? column - 1 : 0; x < columns && x <= column + 1; x++) {
                        const int first = ((z * rows + y) * columns + x) * particles;
                        #pragma acc cache(places[first:particles], charges[first:particles])
                        for (int j = first; j < first + particles; j++)
                            sum = feel(sum, own, places[j], charges[j]);
                    }
                }
            }
            felt[i] = sum;
        }
    }
}

/* What all particles feel, on the device. */
static void simulate(const struct run *run)
{
    const int planes = run->planes, rows = run->rows, columns = run->columns;
    const size_t count = run_particles(run);
    const struct vector *places = run->places;
    const double *charges = run->charges;
    struct vector *felt = run->felt;

    #pragma acc data copyin(places[0:count], charges[0:count]) copyout(felt[0:count])
    feel_all(planes, rows, columns, run->particles, places, charges, felt);
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    simulate(&run);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
