/*
 * Huffman: encodes bytes by a code made for them. The fcw form.
 *
 * A block counts its bytes in its own memory. To encode, it fetches the code and TILE pieces of PIECE
 * bytes, adds up the lengths of the pieces before each, writes all codes to words of its own and
 * these to those of all. Where it begins say prefix sums over blocks.
 *
 * usage: huffman_fcw (--file FILE | --generate BYTES SEED) [OUTPUT]
 */
#include "../common/clock.h"

#include "code.h"

#ifndef TILE
#define TILE 256 /* pieces of a block, and its threads */
#endif
#define SPAN 16 /* bytes that a thread counts */
#if TILE < 1 || TILE > 1024
#error "a block has one thread a piece, 1024 at most"
#endif

#define TILE_BYTES (TILE * PIECE)
#define TILE_WORDS (TILE_BYTES * LONGEST / 32 + 1) /* that the codes of a block need at most */

/* How often each byte occurs. */
static void count_bytes(int count, const unsigned char *restrict bytes, int *restrict counts)
{
    const int tiles = (count + TILE * SPAN - 1) / (TILE * SPAN);
    int *restrict tile_counts = NULL; /* only a window of it exists */

    #pragma acc kernels present(bytes, counts)
    #pragma acc loop independent vector(TILE)
    for (int thread = 0; thread < tiles * TILE; thread++) {
        const int lane = thread % TILE, first = thread / TILE * TILE * SPAN;

        #pragma acc fcw CHANNEL_ONLY(tile_counts[0:0:SYMBOLS - 1]) explicit
        {
            for (int symbol = lane; symbol < SYMBOLS; symbol += TILE)
                tile_counts[symbol] = 0;
            #pragma acc fcw_barrier
            for (int i = first + lane; i < first + TILE * SPAN && i < count; i += TILE) {
                #pragma acc atomic update
                tile_counts[bytes[i]]++;
            }
            #pragma acc fcw_barrier
            for (int symbol = lane; symbol < SYMBOLS; symbol += TILE) {
                #pragma acc atomic update
                counts[symbol] += tile_counts[symbol];
            }
        }
    }
}

/* How many bits the code of each tile has. */
static void measure(int count, int tiles, const unsigned char *restrict bytes,
                    const int *restrict lengths, int *restrict totals)
{
    #pragma acc parallel loop gang vector_length(TILE) present(bytes, lengths, totals)
    for (int tile = 0; tile < tiles; tile++) {
        const int first = tile * TILE_BYTES;
        const int end = first + TILE_BYTES < count ? first + TILE_BYTES : count;
        int bits = 0;
        #pragma acc loop vector reduction(+ : bits)
        for (int i = first; i < end; i++)
            bits += lengths[bytes[i]];
        totals[tile] = bits;
    }
}

/* A step of the prefix sums: `to` adds up twice as many values as `from`. */
static void add_before(int count, int reach, const int *restrict from, int *restrict to)
{
    #pragma acc parallel loop present(from, to)
    for (int i = 0; i < count; i++)
        to[i] = i >= reach ? from[i] + from[i - reach] : from[i];
}

/* Writes the codes of all tiles, which `totals` has up to the end of each. */
static void write_codes(int count, int tiles, const unsigned char *restrict bytes,
                        const unsigned *restrict codes, const int *restrict lengths,
                        const int *restrict totals, unsigned *restrict words)
{
    int *restrict ends = NULL; /* only windows of these exist */
    unsigned *restrict tile_words = NULL;

    #pragma acc kernels present(bytes, codes, lengths, totals, words)
    #pragma acc loop independent vector(TILE)
    for (int piece = 0; piece < tiles * TILE; piece++) {
        const int lane = piece % TILE, tile = piece / TILE;
        const int begin = tile > 0 ? totals[tile - 1] : 0;

        #pragma acc fcw FETCH_ONLY(bytes[piece * PIECE:0:PIECE - 1]) \
                        FETCH_ONLY(codes[0:0:SYMBOLS - 1], lengths[0:0:SYMBOLS - 1]) \
                        CHANNEL_ONLY(ends[piece:0:0], tile_words[0:0:TILE_WORDS - 1]) explicit
        {
            int bits = 0;
            for (int i = piece * PIECE; i < (piece + 1) * PIECE && i < count; i++)
                bits += lengths[bytes[i]];
            ends[piece] = bits;
            for (int i = lane; i < TILE_WORDS; i += TILE)
                tile_words[i] = 0;
            #pragma acc fcw_barrier
            for (int reach = 1; reach < TILE; reach *= 2) {
                const int before = lane >= reach ? ends[piece - reach] : 0;
                #pragma acc fcw_barrier
                ends[piece] += before;
                #pragma acc fcw_barrier
            }

            int at = begin % 32 + ends[piece] - bits;
            unsigned word = 0; /* what of the word at hand is known */
            for (int i = piece * PIECE; i < (piece + 1) * PIECE && i < count; i++) {
                const int symbol = bytes[i];
                const int end = at % 32 + lengths[symbol];
                if (end < 32) {
                    word |= codes[symbol] << (32 - end);
                } else {
                    word |= codes[symbol] >> (end - 32);
                    #pragma acc atomic update
                    tile_words[at / 32] |= word;
                    word = end > 32 ? codes[symbol] << (64 - end) : 0;
                }
                at += lengths[symbol];
            }
            if (at % 32 > 0) {
                #pragma acc atomic update
                tile_words[at / 32] |= word;
            }
            #pragma acc fcw_barrier

            /* The tiles before and behind have bits of the first and the last word, too. */
            const int used = (begin % 32 + ends[tile * TILE + TILE - 1] + 31) / 32;
            for (int i = lane; i < used; i += TILE) {
                if (i > 0 && i < used - 1) {
                    words[begin / 32 + i] = tile_words[i];
                } else {
                    #pragma acc atomic update
                    words[begin / 32 + i] |= tile_words[i];
                }
            }
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
    const int count = run->count, tiles = (count + TILE_BYTES - 1) / TILE_BYTES;
    const int room = (int)words_for(count);
    const unsigned char *bytes = run->bytes;
    unsigned *codes = code->codes;
    int *lengths = code->lengths;
    int counts[SYMBOLS] = {0};
    int bits;

    #pragma acc data copyin(bytes[0:count]) create(front[0:tiles], back[0:tiles]) \
                     create(codes[0:SYMBOLS], lengths[0:SYMBOLS], words[0:room])
    {
        int *totals = front, *next = back;
        #pragma acc data copy(counts[0:SYMBOLS])
        count_bytes(count, bytes, counts);
        *code = code_of(counts);
        #pragma acc update device(codes[0:SYMBOLS], lengths[0:SYMBOLS])
        measure(count, tiles, bytes, lengths, totals);
        for (int reach = 1; reach < tiles; reach *= 2) {
            add_before(tiles, reach, totals, next);
            int *swap = totals;
            totals = next;
            next = swap;
        }
        clear(room, words);
        write_codes(count, tiles, bytes, codes, lengths, totals, words);
        #pragma acc update self(totals[tiles - 1:1])
        bits = totals[tiles - 1];
        #pragma acc update self(words[0:(bits + 31) / 32])
    }
    return bits;
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    const size_t tiles = ((size_t)run.count + TILE_BYTES - 1) / TILE_BYTES;
    unsigned *words = (unsigned *)allocate(words_for(run.count), sizeof *words);
    int *front = (int *)allocate(tiles, sizeof *front);
    int *back = (int *)allocate(tiles, sizeof *back);
    struct code code;
    const double start = clock_seconds();
    const int bits = encode(&run, &code, front, back, words);
    run_finish(&run, &code, bits, words, clock_seconds() - start);
    free(words);
    free(front);
    free(back);
    return 0;
}
