// expect-error: A0453
// What a kernel declares is gone with it.
int a[64];
int f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(4) thread(16)
    int twice = 2;
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++)
        a[i] *= twice;
    #pragma hicuda kernel_end
    #pragma hicuda global free a
    return twice;
}
