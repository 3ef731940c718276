/*
 * Huffman: encodes bytes by a code made for them. The textbook CUDA form.
 *
 * As the fcw form: a block counts its bytes in its own memory. To encode, it fetches the code, adds up
 * the lengths of the pieces before that of each thread, writes all codes to words of its own and
 * these to those of all. Where it begins say prefix sums over blocks.
 *
 * usage: huffman_textbook (--file FILE | --generate BYTES SEED) [OUTPUT]
 */
#include "../common/clock.h"
#include "../common/device.cuh"

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
__global__ void __launch_bounds__(TILE)
    count_bytes(int count, const unsigned char *__restrict__ bytes, int *__restrict__ counts)
{
    __shared__ int tile_counts[SYMBOLS];
    const int thread = threadIdx.x, first = blockIdx.x * TILE * SPAN;
    const int end = min(first + TILE * SPAN, count);

    for (int symbol = thread; symbol < SYMBOLS; symbol += TILE)
        tile_counts[symbol] = 0;
    __syncthreads();
    for (int i = first + thread; i < end; i += TILE)
        atomicAdd(&tile_counts[bytes[i]], 1);
    __syncthreads();
    for (int symbol = thread; symbol < SYMBOLS; symbol += TILE)
        atomicAdd(&counts[symbol], tile_counts[symbol]);
}

/* How many bits the code of each tile has. */
__global__ void __launch_bounds__(TILE)
    measure(int count, const unsigned char *__restrict__ bytes,
            const struct code *__restrict__ code, int *__restrict__ totals)
{
    __shared__ int tile_bits;
    const int thread = threadIdx.x, first = blockIdx.x * TILE_BYTES;
    const int end = min(first + TILE_BYTES, count);
    int bits = 0;

    if (thread == 0)
        tile_bits = 0;
    __syncthreads();
    for (int i = first + thread; i < end; i += TILE)
        bits += code->lengths[bytes[i]];
    atomicAdd(&tile_bits, bits);
    __syncthreads();
    if (thread == 0)
        totals[blockIdx.x] = tile_bits;
}

/* A step of the prefix sums: `to` adds up twice as many values as `from`. */
__global__ void __launch_bounds__(TILE)
    add_before(int count, int reach, const int *__restrict__ from, int *__restrict__ to)
{
    const int i = blockIdx.x * TILE + threadIdx.x;
    if (i < count)
        to[i] = i >= reach ? from[i] + from[i - reach] : from[i];
}

/* Writes the codes of all tiles, which `totals` has up to the end of each. */
__global__ void __launch_bounds__(TILE)
    write_codes(int count, const unsigned char *__restrict__ bytes,
                const struct code *__restrict__ code, const int *__restrict__ totals,
                unsigned *__restrict__ words)
{
    __shared__ unsigned codes[SYMBOLS], tile_words[TILE_WORDS];
    __shared__ int lengths[SYMBOLS], ends[TILE];
    const int thread = threadIdx.x, first = (blockIdx.x * TILE + thread) * PIECE;
    const int begin = blockIdx.x > 0 ? totals[blockIdx.x - 1] : 0;
    const int own = max(0, min(PIECE, count - first)); /* bytes of the thread */

    for (int symbol = thread; symbol < SYMBOLS; symbol += TILE) {
        codes[symbol] = code->codes[symbol];
        lengths[symbol] = code->lengths[symbol];
    }
    for (int i = thread; i < TILE_WORDS; i += TILE)
        tile_words[i] = 0;
    __syncthreads();
    int bits = 0;
    for (int i = first; i < first + own; i++)
        bits += lengths[bytes[i]];
    ends[thread] = bits;
    __syncthreads();
    for (int reach = 1; reach < TILE; reach *= 2) {
        const int before = thread >= reach ? ends[thread - reach] : 0;
        __syncthreads();
        ends[thread] += before;
        __syncthreads();
    }

    int at = begin % 32 + ends[thread] - bits;
    unsigned word = 0; /* what of the word at hand is known */
    for (int i = first; i < first + own; i++) {
        const int symbol = bytes[i], end = at % 32 + lengths[symbol];
        if (end < 32) {
            word |= codes[symbol] << (32 - end);
        } else {
            atomicOr(&tile_words[at / 32], word | codes[symbol] >> (end - 32));
            word = end > 32 ? codes[symbol] << (64 - end) : 0;
        }
        at += lengths[symbol];
    }
    if (at % 32 > 0)
        atomicOr(&tile_words[at / 32], word);
    __syncthreads();

    /* The tiles before and behind have bits of the first and the last word, too. */
    const int used = (begin % 32 + ends[TILE - 1] + 31) / 32;
    for (int i = thread; i < used; i += TILE) {
        if (i > 0 && i < used - 1)
            words[begin / 32 + i] = tile_words[i];
        else
            atomicOr(&words[begin / 32 + i], tile_words[i]);
    }
}

/* All on the device but the code. Returns how many bits there are. */
static int encode(const struct run *run, struct code *code, unsigned *words)
{
    const int count = run->count, tiles = blocks_for(count, TILE_BYTES);
    const device_array<unsigned char> bytes(run->bytes, (size_t)count);
    const device_array<struct code> device_code(1);
    device_array<int> device_counts(SYMBOLS), totals((size_t)tiles), next((size_t)tiles);
    device_array<unsigned> device_words(words_for(count));
    int counts[SYMBOLS], bits;

    device_counts.clear();
    device_launch("count_bytes", [&] {
        count_bytes<<<blocks_for(count, TILE * SPAN), TILE>>>(count, bytes, device_counts);
    });
    device_counts.download(counts);
    *code = code_of(counts);
    device_code.upload(code, 0, 1);
    device_launch("measure",
                  [&] { measure<<<tiles, TILE>>>(count, bytes, device_code, totals); });
    for (int reach = 1; reach < tiles; reach *= 2) {
        device_launch("add_before", [&] {
            add_before<<<blocks_for(tiles, TILE), TILE>>>(tiles, reach, totals, next);
        });
        totals.swap(next);
    }
    device_words.clear();
    device_launch("write_codes", [&] {
        write_codes<<<tiles, TILE>>>(count, bytes, device_code, totals, device_words);
    });
    device_copy(&bits, totals + (tiles - 1), sizeof bits, cudaMemcpyDeviceToHost);
    device_words.download(words, ((size_t)bits + 31) / 32);
    return bits;
}

int main(int argc, char **argv)
{
    const struct run run = run_arguments(argc, argv);
    unsigned *words = (unsigned *)allocate(words_for(run.count), sizeof *words);
    struct code code;
    const double start = clock_seconds();
    const int bits = encode(&run, &code, words);
    run_finish(&run, &code, bits, words, clock_seconds() - start);
    free(words);
    return 0;
}
