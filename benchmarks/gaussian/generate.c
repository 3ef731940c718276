/*
 * Writes the system of equations that `gaussian --generate SIZE SEED` makes up, in the format of
 * the Rodinia suite, without its solution.
 *
 * usage: generate SIZE SEED MATRIX
 */
#include "system.h"

int main(int argc, char **argv)
{
    if (argc != 4)
        fail("usage: %s SIZE SEED MATRIX", argv[0]);
    char generate[] = "--generate";
    char *arguments[] = {argv[0], generate, argv[1], argv[2]};
    struct run run = run_arguments(4, arguments);
    const size_t size = (size_t)run.size;
    FILE *file = output_open(argv[3]);
    fprintf(file, "%d\n\n", run.size);
    for (size_t i = 0; i < size; i++)
        grid_print(file, run.equations + i * (size + 1), size);
    fputc('\n', file);
    for (size_t i = 0; i < size; i++)
        grid_print(file, run.equations + i * (size + 1) + size, 1);
    output_close(file, argv[3]);
    free(run.equations);
    return 0;
}
