/*
 * Writes the input that `hotspot ... --generate SEED` makes up, in the format of the Rodinia suite.
 *
 * usage: generate ROWS COLUMNS SEED TEMPERATURES POWERS
 */
#include "chip.h"

int main(int argc, char **argv)
{
    if (argc != 6)
        fail("usage: %s ROWS COLUMNS SEED TEMPERATURES POWERS", argv[0]);
    char zero[] = "0", generate[] = "--generate";
    char *arguments[] = {argv[0], argv[1], argv[2], zero, generate, argv[3]};
    struct run run = chip_arguments(6, arguments);
    const size_t cells = run_cells(&run);
    grid_write(argv[4], run.temperature, cells);
    grid_write(argv[5], run.power, cells);
    free(run.temperature);
    free(run.power);
    return 0;
}
