/*
 * Writes the bytes that `huffman --generate BYTES SEED` makes up to a file.
 *
 * usage: generate BYTES SEED FILE
 */
#include "code.h"

int main(int argc, char **argv)
{
    if (argc != 4)
        fail("usage: %s BYTES SEED FILE", argv[0]);
    char generate[] = "--generate";
    char *arguments[] = {argv[0], generate, argv[1], argv[2]};
    struct run run = run_arguments(4, arguments);
    FILE *file = output_open(argv[3]);
    fwrite(run.bytes, 1, (size_t)run.count, file);
    output_close(file, argv[3]);
    free(run.bytes);
    return 0;
}
