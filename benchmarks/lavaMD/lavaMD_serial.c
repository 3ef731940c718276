/*
 * LavaMD: what particles feel of those in their box and in the 26 boxes around it. The serial form.
 *
 * usage: lavaMD_serial PLANES ROWS COLUMNS PARTICLES SEED [OUTPUT]
 */
#include "../common/clock.h"

#include "particles.h"

/* What each particle feels of those in the boxes around it, box by box. */
static void feel_all(int planes, int rows, int columns, int particles,
                     const struct vector *restrict places, const double *restrict charges,
                     struct vector *restrict felt)
{
    for (int box = 0; box < planes * rows * columns; box++) {
        const int plane = box / columns / rows, row = box / columns % rows, column = box % columns;
        for (int i = box * particles; i < (box + 1) * particles; i++) {
            const struct vector own = places[i];
            struct vector sum = {0.0, 0.0, 0.0, 0.0};
            for (int z = plane > 0 ? plane - 1 : 0; z < planes && z <= plane + 1; z++) {
                for (int y = row > 0 ? row - 1 : 0; y < rows && y <= row + 1; y++) {
                    for (int x = column > 0 ? column - 1 : 0; x < columns && x <= column + 1; x++) {
                        const int first = ((z * rows + y) * columns + x) * particles;
                        for (int j = first; j < first + particles; j++)
                            sum = feel(sum, own, places[j], charges[j]);
                    }
                }
            }
            felt[i] = sum;
        }
    }
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const double start = clock_seconds();
    feel_all(run.planes, run.rows, run.columns, run.particles, run.places, run.charges, run.felt);
    run_finish(&run, clock_seconds() - start);
    return 0;
}
