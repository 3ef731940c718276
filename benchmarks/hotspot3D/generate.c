/*
 * Writes the input that `hotspot3D ... --generate SEED` makes up, in the format of the Rodinia
 * suite.
 *
 * usage: generate LAYERS ROWS COLUMNS SEED TEMPERATURES POWERS
 */
#include "chip.h"

int main(int argc, char **argv)
{
    if (argc != 7)
        fail("usage: %s LAYERS ROWS COLUMNS SEED TEMPERATURES POWERS", argv[0]);
    char zero[] = "0", generate[] = "--generate";
    char *arguments[] = {argv[0], argv[1], argv[2], argv[3], zero, generate, argv[4]};
    struct run run = chip_arguments(7, arguments);
    chip_write(&run, argv[5], run.temperature);
    chip_write(&run, argv[6], run.power);
    free(run.temperature);
    free(run.power);
    return 0;
}
