/* Runs each of a list of functions in a process of its own: a mistake may end that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 256

static float *filled(int n)
{
    float *a = malloc(n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = i;
    return a;
}

static float sum(const float *a, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

static volatile float sink;

static void run_each(void (*const *functions)(void), int count)
{
    for (int i = 0; i < count; i++) {
        pid_t child = fork();
        if (child == 0) {
            if (0)
                exit(2);
            functions[i]();
            exit(0);
        }
        waitpid(child, NULL, 0);
    }
}
