// expect-error: A0418 A0418 A0418 A0418 A0418 A0418 A0418 A0418 A0418 A0418
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
void f(int n, double *a, const char *text)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) {
        fprintf(stderr, "%d\n", i);
        a[i] = rand();
        a[i] += strlen(text);
        if (a[i] < 0)
            exit(1);
        a[i] += time(NULL);
        a[i] += atof(text);
        a[i] += isdigit(text[i]);
        a[i] += fpclassify(a[i]) == FP_NAN;
        errno = 0;
        memmove(a, a + 1, sizeof *a);
        printf("%d\n", i);
    }
}
