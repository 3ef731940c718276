/* Named timers that nest: where the time goes. */
#ifndef TIMER_H
#define TIMER_H

#include <stdio.h>

/* Seconds since some fixed point. */
double timer_now(void);

/* Begins and ends a part of the program; parts may nest. */
void timer_begin(const char *name);
void timer_end(const char *name);

/* A table of all parts in the order in which they first began. */
void timer_report(FILE *file);
void timer_reset(void);

#endif
