/*
 * Writes the matrix that `lud --generate SIZE SEED` makes up, in the format of the Rodinia suite.
 *
 * usage: generate SIZE SEED MATRIX
 */
#include "matrix.h"

int main(int argc, char **argv)
{
    if (argc != 4)
        fail("usage: %s SIZE SEED MATRIX", argv[0]);
    char generate[] = "--generate";
    char *arguments[] = {argv[0], generate, argv[1], argv[2]};
    struct run run = run_arguments(4, arguments);
    FILE *file = output_open(argv[3]);
    fprintf(file, "%d\n", run.size);
    grid_print(file, run.matrix, run_values(&run));
    output_close(file, argv[3]);
    free(run.matrix);
    return 0;
}
