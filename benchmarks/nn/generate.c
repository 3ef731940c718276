/*
 * Writes the records that `nn ... --generate COUNT SEED` makes up, in the format of the Rodinia
 * suite.
 *
 * usage: generate COUNT SEED RECORDS
 */
#include "records.h"

int main(int argc, char **argv)
{
    if (argc != 4)
        fail("usage: %s COUNT SEED RECORDS", argv[0]);
    char one[] = "1", zero[] = "0", generate[] = "--generate";
    char *arguments[] = {argv[0], one, zero, zero, generate, argv[1], argv[2]};
    struct run run = run_arguments(7, arguments);
    FILE *file = output_open(argv[3]);
    for (int i = 0; i < run.count; i++) {
        /* Year, month, day, hour, number and name of a storm; its place, wind and pressure. */
        fprintf(file, "%4d%3d%3d%3d%3d %-11s%4.1f%6.1f%5d%5d\n", 1950 + i % 55, 1 + i % 12,
                1 + i % 28, i % 4 * 6, i % 20, "MADEUP", run.places[i].latitude,
                run.places[i].longitude, 10 + i % 150, 880 + i % 140);
    }
    output_close(file, argv[3]);
    free(run.places);
    return 0;
}
