/*
 * The command line and the output of mcml.
 */
#include "media.h"

struct run run_arguments(int argc, char **argv)
{
    if (argc != 4 && argc != 5)
        fail("usage: %s PHOTONS LAYERS SEED [OUTPUT]", argv[0]);
    struct run run;
    run.photons = number_argument(argv[1], 0, 1 << 30, "photons");
    run.layers = number_argument(argv[2], 1, MOST_LAYERS, "layers");
    run.seed = number_argument(argv[3], 0, INT32_MAX, "seed");
    run.output = argc == 5 ? argv[4] : NULL;
    media_make(run.layers, run.seed, run.layer, run.surface);
    run.absorbed = (absorption_grid *)allocate(COPIES, sizeof *run.absorbed);
    memset(run.absorbed, 0, COPIES * sizeof *run.absorbed);
    return run;
}

void run_finish(const struct run *run, double seconds)
{
    printf("mcml %d photons, %d layers: checksum %016llx\n", run->photons, run->layers,
           checksum(run->absorbed[0], 1, sizeof run->absorbed[0]));
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        for (int z = 0; z < DEPTHS; z++)
            for (int r = 0; r < RINGS; r++)
                fprintf(file, "%.9g\n", run->absorbed[0][z][r]);
        output_close(file, run->output);
    }
    free(run->absorbed);
}
