/*
 * Writes the image that `srad STEPS --generate ROWS COLUMNS SEED` makes up, in the plain PGM format,
 * as the Rodinia suite has it.
 *
 * usage: generate ROWS COLUMNS SEED IMAGE
 */
#include "image.h"

int main(int argc, char **argv)
{
    if (argc != 5)
        fail("usage: %s ROWS COLUMNS SEED IMAGE", argv[0]);
    struct run run;
    run.rows = number_argument(argv[1], 1, MOST_PIXELS, "rows");
    run.columns = number_argument(argv[2], 1, MOST_PIXELS, "columns");
    float *grey = image_made_up(&run, (uint64_t)number_argument(argv[3], 0, INT32_MAX, "seed"));
    FILE *file = output_open(argv[4]);
    fprintf(file, "P2\n%d %d\n%d\n", run.columns, run.rows, MOST_GREY);
    for (size_t i = 0; i < run_pixels(&run); i++)
        fprintf(file, "%.0f\n", grey[i]);
    output_close(file, argv[4]);
    free(grey);
    return 0;
}
