/*
 * Writes the mesh that `cfd STEPS --generate X Y Z SEED` makes up, in the format of the Rodinia
 * suite.
 *
 * usage: generate X Y Z SEED MESH
 */
#include "mesh.h"

int main(int argc, char **argv)
{
    if (argc != 6)
        fail("usage: %s X Y Z SEED MESH", argv[0]);
    char zero[] = "0", generate[] = "--generate";
    char *arguments[] = {argv[0], zero, generate, argv[1], argv[2], argv[3], argv[4]};
    struct run run = run_arguments(7, arguments);
    const size_t cells = (size_t)run.cells;
    FILE *file = output_open(argv[5]);
    fprintf(file, "%d\n", run.cells);
    for (size_t i = 0; i < cells; i++) {
        fprintf(file, "%.9g", run.volumes[i]);
        for (size_t face = 0; face < FACES; face++) {
            const int neighbour = run.neighbours[face * cells + i];
            fprintf(file, " %d", neighbour == OUTSIDE ? -1 : neighbour + 1);
            for (size_t axis = 0; axis < 3; axis++)
                fprintf(file, " %.9g", run.normals[(face * 3 + axis) * cells + i]);
        }
        fputc('\n', file);
    }
    output_close(file, argv[5]);
    free(run.volumes);
    free(run.neighbours);
    free(run.normals);
    free(run.variables);
    return 0;
}
