#define _POSIX_C_SOURCE 200809L
#include "timer.h"

#include <string.h>
#include <time.h>

#include "error.h"

#define MAX_TIMERS 32

struct timer {
    const char *name;
    double total;
    double began;
    long calls;
    int depth;
    int running;
};

static struct timer timers[MAX_TIMERS];
static int count, depth;

double timer_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct timer *find(const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(timers[i].name, name) == 0)
            return &timers[i];
    return NULL;
}

void timer_begin(const char *name)
{
    struct timer *timer = find(name);
    if (timer == NULL) {
        if (count == MAX_TIMERS)
            error_exit("more than %d timers", MAX_TIMERS);
        timer = &timers[count++];
        *timer = (struct timer){.name = name, .depth = depth};
    }
    if (timer->running)
        error_exit("timer %s runs already", name);
    timer->running = 1;
    timer->began = timer_now();
    depth++;
}

void timer_end(const char *name)
{
    struct timer *timer = find(name);
    if (timer == NULL || !timer->running)
        error_exit("timer %s does not run", name);
    timer->total += timer_now() - timer->began;
    timer->running = 0;
    timer->calls++;
    depth--;
}

void timer_report(FILE *file)
{
    fprintf(file, "%-24s %10s %12s\n", "part", "calls", "seconds");
    for (int i = 0; i < count; i++) {
        const struct timer *timer = &timers[i];
        fprintf(file, "%*s%-*s %10ld %12.6f\n", 2 * timer->depth, "", 24 - 2 * timer->depth, timer->name, timer->calls,
                timer->total);
    }
}

void timer_reset(void)
{
    count = 0;
    depth = 0;
}
