/*
 * Writes the points that `kmeans ... --generate POINTS FEATURES SEED` makes up, in the format of
 * the Rodinia suite.
 *
 * usage: generate POINTS FEATURES SEED FILE
 */
#include "points.h"

int main(int argc, char **argv)
{
    if (argc != 5)
        fail("usage: %s POINTS FEATURES SEED FILE", argv[0]);
    char one[] = "1", zero[] = "0", generate[] = "--generate";
    char *arguments[] = {argv[0], one, zero, generate, argv[1], argv[2], argv[3]};
    struct run run = run_arguments(7, arguments);
    FILE *file = output_open(argv[4]);
    for (int i = 0; i < run.points; i++) {
        fprintf(file, "%d", i + 1);
        for (int j = 0; j < run.features; j++)
            fprintf(file, " %.0f", run.values[(size_t)i * (size_t)run.features + (size_t)j]);
        fputc('\n', file);
    }
    output_close(file, argv[4]);
    free(run.values);
    free(run.centers);
    return 0;
}
