/*
 * Writes the image that `dwt2d ... --generate ROWS COLUMNS SEED` makes up, in the plain PGM format.
 *
 * usage: generate ROWS COLUMNS SEED IMAGE
 */
#include "image.h"

int main(int argc, char **argv)
{
    if (argc != 5)
        fail("usage: %s ROWS COLUMNS SEED IMAGE", argv[0]);
    char filter[] = "5/3", levels[] = "1", generate[] = "--generate";
    char *arguments[] = {argv[0], filter, levels, generate, argv[1], argv[2], argv[3]};
    struct run run = run_arguments(7, arguments);
    FILE *file = output_open(argv[4]);
    fprintf(file, "P2\n%d %d\n%d\n", run.columns, run.rows, MOST_GREY);
    for (size_t i = 0; i < run_pixels(&run); i++)
        fprintf(file, "%.0f\n", run.pixels[i] + MIDDLE_GREY);
    output_close(file, argv[4]);
    free(run.pixels);
    return 0;
}
