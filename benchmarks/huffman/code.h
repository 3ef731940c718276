/*
 * The bytes that huffman encodes, their code, and the input of a run: shared by all forms.
 *
 * The task is that of the Rodinia suite: how often each byte occurs gives a code by Huffman's
 * method, and all bytes are written in it, one code behind the other, from the most significant bit of
 * 32-bit words on. Codes of one length follow each other in the order of their bytes (canonical),
 * so that their lengths say what they are. A file is taken as it is, byte by byte.
 */
#ifndef BENCHMARKS_HUFFMAN_CODE_H
#define BENCHMARKS_HUFFMAN_CODE_H

#include "../common/program.h"

#define SYMBOLS 256
#define MOST_BYTES (1 << 27) /* so that the number of their bits is an int */
#define LONGEST 32           /* bits of a code */
#define PIECE 4              /* bytes that a thread encodes */

/* A run as the command line gives it, its input in memory. */
struct run {
    int count;
    unsigned char *bytes;
    const char *output; /* file for lengths of codes, and the words; NULL: none is asked for */
};

/* Of each byte its code, in the lowest bits, and how many they are; 0 of bytes that do not occur. */
struct code {
    unsigned codes[SYMBOLS];
    int lengths[SYMBOLS];
};

/* How many words hold the codes of `count` bytes: on average one needs 8 bits at most. */
static inline size_t words_for(int count)
{
    return (size_t)count / 4 + 1;
}

/* Reads all bytes of a file. */
static inline void bytes_read(struct run *run, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail("%s: %s", path, strerror(errno));
    run->bytes = (unsigned char *)allocate(MOST_BYTES, 1);
    run->count = (int)fread(run->bytes, 1, MOST_BYTES, file);
    if (ferror(file) || run->count == 0 || fgetc(file) != EOF)
        fail("%s: 1 to %d bytes expected", path, MOST_BYTES);
    fclose(file);
}

/* (--file FILE | --generate BYTES SEED) [OUTPUT] */
static inline struct run run_arguments(int argc, char **argv)
{
    const int read = argc > 1 && strcmp(argv[1], "--file") == 0;
    const int generate = argc > 1 && strcmp(argv[1], "--generate") == 0;
    const int given = read ? 3 : 4;
    if ((!read && !generate) || (argc != given && argc != given + 1))
        fail("usage: %s (--file FILE | --generate BYTES SEED) [OUTPUT]", argv[0]);
    struct run run;
    if (read) {
        bytes_read(&run, argv[2]);
    } else {
        run.count = number_argument(argv[2], 1, MOST_BYTES, "bytes");
        uint64_t seed = (uint64_t)number_argument(argv[3], 0, INT32_MAX, "seed");
        run.bytes = (unsigned char *)allocate((size_t)run.count, 1);
        for (int i = 0; i < run.count; i++) {
            const uint64_t bits = random_bits(&seed);
            run.bytes[i] = (unsigned char)(bits & bits >> 8); /* one bit of four is set */
        }
    }
    run.output = argc > given ? argv[given] : NULL;
    return run;
}

/* Of the nodes that have no parent the one that occurs least, the first of equals; but not `other`. */
static inline int least_node(int nodes, const int *counts, const int *parents, int other)
{
    int least = -1;
    for (int node = 0; node < nodes; node++) {
        if (counts[node] > 0 && parents[node] < 0 && node != other &&
            (least < 0 || counts[node] < counts[least]))
            least = node;
    }
    return least;
}

/* The code for bytes that occur so often. */
static inline struct code code_of(const int *occurrences)
{
    int counts[2 * SYMBOLS], parents[2 * SYMBOLS], nodes = SYMBOLS;
    struct code code;
    for (int node = 0; node < SYMBOLS; node++) {
        counts[node] = occurrences[node];
        parents[node] = -1;
    }
    for (;;) {
        const int left = least_node(nodes, counts, parents, -1);
        const int right = least_node(nodes, counts, parents, left);
        if (right < 0)
            break;
        counts[nodes] = counts[left] + counts[right];
        parents[nodes] = -1;
        parents[left] = parents[right] = nodes++;
    }
    for (int symbol = 0; symbol < SYMBOLS; symbol++) {
        code.codes[symbol] = 0;
        code.lengths[symbol] = counts[symbol] > 0 && parents[symbol] < 0; /* one byte alone */
        for (int node = symbol; parents[node] >= 0; node = parents[node])
            code.lengths[symbol]++;
        if (code.lengths[symbol] > LONGEST)
            fail("a code of more than %d bits", LONGEST);
    }
    uint64_t next = 0;
    for (int length = 1; length <= LONGEST; length++, next *= 2) {
        for (int symbol = 0; symbol < SYMBOLS; symbol++) {
            if (code.lengths[symbol] == length)
                code.codes[symbol] = (unsigned)next++;
        }
    }
    return code;
}

/* The result line, the time on a line of its own, and the output file; frees the bytes. */
static inline void run_finish(const struct run *run, const struct code *code, int bits,
                              const unsigned *words, double seconds)
{
    const size_t count = ((size_t)bits + 31) / 32;
    printf("huffman %d bytes, %d bits: checksum %016llx\n", run->count, bits,
           checksum(words, count, sizeof *words) ^
               checksum(code->lengths, SYMBOLS, sizeof *code->lengths) << 1);
    printf("time %.6f s\n", seconds);
    if (run->output != NULL) {
        FILE *file = output_open(run->output);
        for (int symbol = 0; symbol < SYMBOLS; symbol++)
            fprintf(file, "%d\n", code->lengths[symbol]);
        for (size_t i = 0; i < count; i++)
            fprintf(file, "%u\n", words[i]);
        output_close(file, run->output);
    }
    free(run->bytes);
}

#endif
