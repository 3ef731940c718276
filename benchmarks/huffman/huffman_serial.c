/*
 * Huffman: encodes bytes by a code made for them. The serial form: one code behind the other.
 *
 * usage: huffman_serial (--file FILE | --generate BYTES SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "code.h"

/* How often each byte occurs. */
static void count_bytes(int count, const unsigned char *bytes, int *counts)
{
    for (int symbol = 0; symbol < SYMBOLS; symbol++)
        counts[symbol] = 0;
    for (int i = 0; i < count; i++)
        counts[bytes[i]]++;
}

/* Writes all codes. Returns how many bits they have. */
static int encode(int count, const unsigned char *bytes, const struct code *code, unsigned *words)
{
    int bits = 0;
    for (size_t i = 0; i < words_for(count); i++)
        words[i] = 0;
    for (int i = 0; i < count; i++) {
        for (int bit = code->lengths[bytes[i]] - 1; bit >= 0; bit--, bits++)
            words[bits / 32] |= (code->codes[bytes[i]] >> bit & 1u) << (31 - bits % 32);
    }
    return bits;
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    unsigned *words = (unsigned *)allocate(words_for(run.count), sizeof *words);
    int counts[SYMBOLS];
    const double start = clock_seconds();
    count_bytes(run.count, run.bytes, counts);
    const struct code code = code_of(counts);
    const int bits = encode(run.count, run.bytes, &code, words);
    run_finish(&run, &code, bits, words, clock_seconds() - start);
    free(words);
    return 0;
}
