/*
 * Writes the keys that `btree ... SEED --generate KEYS` makes up, in the format of the Rodinia suite.
 *
 * usage: generate KEYS SEED FILE
 */
#include "tree.h"

int main(int argc, char **argv)
{
    if (argc != 4)
        fail("usage: %s KEYS SEED FILE", argv[0]);
    struct run run;
    run.records = number_argument(argv[1], 1, MOST_KEYS, "keys");
    uint64_t seed = (uint64_t)number_argument(argv[2], 0, INT32_MAX, "seed");
    struct record *records = records_generate(&run, &seed);
    FILE *file = output_open(argv[3]);
    fprintf(file, "%d\n", run.records);
    for (int i = 0; i < run.records; i++)
        fprintf(file, "%d\n", records[i].key);
    output_close(file, argv[3]);
    free(records);
    return 0;
}
