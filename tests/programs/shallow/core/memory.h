/* Memory that is there or ends the program, counted so that leaks are seen. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* Room for `count` values of `size` bytes, all zero, aligned to a cache line. */
void *memory_allocate(size_t count, size_t size, const char *what);
void memory_release(void *memory);

/* A copy of a string. */
char *memory_string(const char *text);

/* How many allocations are not released, and the most bytes ever held. */
long memory_blocks(void);
size_t memory_peak(void);

#endif
