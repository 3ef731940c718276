// expect-error: A0418
// Library functions and memory that kernels have not.
#include <stdlib.h>
#include <string.h>
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(1) thread(1)
    int *p = malloc(8);
    a[0] = p != 0;
    exit(1);
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
