/*
 * Huffman: encodes bytes by a code made for them. The cache form: a block holds its bytes
 * and the code.
 *
 * usage: huffman_cache (--file FILE | --generate BYTES SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "code.h"

#ifndef TILE
#define TILE 256 /* pieces of a block, and its threads */
#endif
#if TILE < 1 || TILE > 1024
#error "a block has one thread a piece, 1024 at most"
#endif

/* How often each byte occurs. */
static void count_bytes(int count, const unsigned char *restrict bytes, int *restrict counts)
{
    #pragma acc parallel loop present(bytes, counts)
    for (int i = 0; i < count; i++) {
        #pragma acc atomic update
        counts[bytes[i]]++;
    }
}

/* How many bits the code of each piece has. */
static void measure(int count, int pieces, const unsigned char *restrict bytes,
                    const int *restrict lengths, int *restrict ends)
{
    #pragma acc parallel loop vector_length(TILE) present(bytes, lengths, ends)
    for (int piece = 0; piece < pieces; piece++) {
        #pragma acc cache(readonly: bytes[piece * PIECE:PIECE], lengths[0:SYMBOLS])
        int bits = 0;
        for (int i = piece * PIECE; i < (piece + 1) * PIECE && i < count; i++)
            bits += lengths[bytes[i]];
        ends[piece] = bits;
    }
}

/* A step of the prefix sums: `to` adds up twice as many values as `from`. */
static void add_before(int count, int reach, const int *restrict from, int *restrict to)
{
    #pragma acc parallel loop present(from, to)
    for (int i = 0; i < count; i++)
        to[i] = i >= reach ? from[i] + from[i - reach] : from[i];
}

/* Writes the codes of all pieces; words where two of them meet have bits of both. */
static void write_codes(int count, int pieces, const unsigned char *restrict bytes,
                        const unsigned *restrict codes, const int *restrict lengths,
                        const int *restrict ends, unsigned *restrict words)
{
    #pragma acc parallel loop vector_length(TILE) present(bytes, codes, lengths, ends, words)
    for (int piece = 0; piece < pieces; piece++) {
        #pragma acc cache(readonly: bytes[piece * PIECE:PIECE], codes[0:SYMBOLS], lengths[0:SYMBOLS])
        int at = piece > 0 ? ends[piece - 1] : 0;
        unsigned word = 0; /* what of the word at hand is known */
        for (int i = piece * PIECE; i < (piece + 1) * PIECE && i < count; i++) {
            const int symbol = bytes[i];
            const int end = at % 32 + lengths[symbol];
            if (end < 32) {
                word |= codes[symbol] << (32 - end);
            } else {
                word |= codes[symbol] >> (end - 32);
                #pragma acc atomic update
                words[at / 32] |= word;
                word = end > 32 ? codes[symbol] << (64 - end) : 0;
            }
            at += lengths[symbol];
        }
        if (at % 32 > 0) {
            #pragma acc atomic update
            words[at / 32] |= word;
        }
    }
}

/* No word has a bit yet. */
static void clear(int count, unsigned *restrict words)
{
    #pragma acc parallel loop present(words)
    for (int i = 0; i < count; i++)
        words[i] = 0;
}

/* All on the device but the code. `front` and `back` are for the prefix sums. Returns how many bits. */
static int encode(const struct run *run, struct code *code, int *front, int *back,
                  unsigned *words)
{
    const int count = run->count, pieces = (count + PIECE - 1) / PIECE;
    const int room = (int)words_for(count);
    const unsigned char *bytes = run->bytes;
    unsigned *codes = code->codes;
    int *lengths = code->lengths;
    int counts[SYMBOLS] = {0};
    int bits;

    #pragma acc data copyin(bytes[0:count]) create(front[0:pieces], back[0:pieces]) \
                     create(codes[0:SYMBOLS], lengths[0:SYMBOLS], words[0:room])
    {
        int *ends = front, *next = back;
        #pragma acc data copy(counts[0:SYMBOLS])
        count_bytes(count, bytes, counts);
        *code = code_of(counts);
        #pragma acc update device(codes[0:SYMBOLS], lengths[0:SYMBOLS])
        measure(count, pieces, bytes, lengths, ends);
        for (int reach = 1; reach < pieces; reach *= 2) {
            add_before(pieces, reach, ends, next);
            int *swap = ends;
            ends = next;
            next = swap;
        }
        clear(room, words);
        write_codes(count, pieces, bytes, codes, lengths, ends, words);
        #pragma acc update self(ends[pieces - 1:1])
        bits = ends[pieces - 1];
        #pragma acc update self(words[0:(bits + 31) / 32])
    }
    return bits;
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const size_t pieces = ((size_t)run.count + PIECE - 1) / PIECE;
    unsigned *words = (unsigned *)allocate(words_for(run.count), sizeof *words);
    int *front = (int *)allocate(pieces, sizeof *front);
    int *back = (int *)allocate(pieces, sizeof *back);
    struct code code;
    const double start = clock_seconds();
    const int bits = encode(&run, &code, front, back, words);
    run_finish(&run, &code, bits, words, clock_seconds() - start);
    free(words);
    free(front);
    free(back);
    return 0;
}
