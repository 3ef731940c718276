/*
 * Writes the list that `hybridsort --generate COUNT SEED` makes up, in the format of the Rodinia
 * suite.
 *
 * usage: generate COUNT SEED FILE
 */
#include "list.h"

int main(int argc, char **argv)
{
    if (argc != 4)
        fail("usage: %s COUNT SEED FILE", argv[0]);
    char generate[] = "--generate";
    char *arguments[] = {argv[0], generate, argv[1], argv[2]};
    struct run run = run_arguments(4, arguments);
    grid_write(argv[3], run.values, (size_t)run.count);
    free(run.values);
    return 0;
}
