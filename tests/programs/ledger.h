/*
 * A program's ledger: what its data clauses and constructs ask of the runtime.
 *
 * Printed are lines EVENT NAME QUEUE COUNT BYTES, separated by tabs. Programs that print one take
 * the arguments of the program it is for, and the file of its right results last.
 */
#ifndef LEDGER_H
#define LEDGER_H

#include <stdio.h>
#include <stdlib.h>

/* The queue of what has no async clause. */
#define SYNC "sync"

static inline void expect(const char *event, const char *name, const char *queue, long count, long bytes)
{
    if (count > 0)
        printf("%s\t%s\t%s\t%ld\t%ld\n", event, name, queue, count, bytes);
}

static inline void to_device(const char *section, long count, long bytes)
{
    expect("to-device", section, SYNC, count, bytes);
}

static inline void to_host(const char *section, long count, long bytes)
{
    expect("to-host", section, SYNC, count, bytes);
}

/* Kernels of the constructs in a function. */
static inline void launches(const char *function, long count)
{
    expect("launch", function, SYNC, count, 0);
}

/*
 * A reduction of a variable that is not on the device: its implicit copy (OpenACC 3.3, 2.6.2) each
 * time. It ends in the kernel.
 */
static inline void reduction(const char *variable, long count, long size)
{
    to_device(variable, count, count * size);
    to_host(variable, count, count * size);
}

#endif
