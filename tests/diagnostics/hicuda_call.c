// expect-error: A0418 A0418 A0418 A0418
// Functions without a body, and what no device has.
#include <stdio.h>
#include <stdlib.h>
int a[64];
int elsewhere(int x);
void f(int (*by)(int))
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++)
        a[i] = elsewhere(a[i]);
    a[0] = rand();
    a[1] = by(a[1]);
    puts("done");
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
