/*
 * Writes the points that `streamcluster ... SEED --generate POINTS` makes up, in the format of the
 * Rodinia suite.
 *
 * usage: generate DIMENSIONS POINTS SEED FILE
 */
#include "stream.h"

int main(int argc, char **argv)
{
    if (argc != 5)
        fail("usage: %s DIMENSIONS POINTS SEED FILE", argv[0]);
    char one[] = "1", generate[] = "--generate";
    char *arguments[] = {argv[0], argv[1], one, one, one, argv[3], generate, argv[2]};
    struct run run = run_arguments(8, arguments);
    FILE *file = output_open(argv[4]);
    fwrite(run.values, sizeof(float) * (size_t)run.dimensions, (size_t)run.points, file);
    output_close(file, argv[4]);
    free(run.values);
    return 0;
}
