#include <stdio.h>
#include <stdlib.h>

/* Every thread stores another value in one place of the host's memory. */
int main(void)
{
    enum { n = 64 };
    int *last = malloc(sizeof *last);
    int *to = calloc(n, sizeof *to);
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
        last[to[i]] = i;
    printf("%d\n", last[0] >= 0);
    free(to);
    free(last);
    return 0;
}
