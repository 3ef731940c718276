#include "memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

#define LINE 64

/* In front of every block, as long as a line so that what follows stays aligned. */
struct header {
    size_t bytes;
};

static long blocks;
static size_t held, peak;

void *memory_allocate(size_t count, size_t size, const char *what)
{
    if (size != 0 && count > (SIZE_MAX - 2 * LINE) / size)
        error_exit("%s: %zu values of %zu bytes are more than memory can be", what, count, size);
    const size_t bytes = count * size;
    const size_t rounded = (bytes + LINE - 1) / LINE * LINE + LINE;
    char *block = aligned_alloc(LINE, rounded);
    if (block == NULL)
        error_exit("%s: no memory for %zu bytes", what, bytes);
    ((struct header *)block)->bytes = bytes;
    memset(block + LINE, 0, rounded - LINE);
    blocks++;
    held += bytes;
    peak = held > peak ? held : peak;
    return block + LINE;
}

void memory_release(void *memory)
{
    if (memory == NULL)
        return;
    char *block = (char *)memory - LINE;
    held -= ((struct header *)block)->bytes;
    blocks--;
    free(block);
}

char *memory_string(const char *text)
{
    const size_t length = strlen(text) + 1;
    char *copy = memory_allocate(length, 1, "a string");
    memcpy(copy, text, length);
    return copy;
}

long memory_blocks(void)
{
    return blocks;
}

size_t memory_peak(void)
{
    return peak;
}
