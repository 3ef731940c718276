// expect-error: A0453
// The variable of a partition is each thread's own.
int a[64];
int f(void)
{
    int i;
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(2) thread(4)
    #pragma hicuda loop_partition over_tblock over_thread
    for (i = 2; i < 6; i++)
        a[i] += 100;
    #pragma hicuda kernel_end
    #pragma hicuda global free a
    return i;
}
