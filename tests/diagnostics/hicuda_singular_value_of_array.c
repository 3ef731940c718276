// expect-error: A0459
// An array of each thread, filled by one.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(4) thread(16)
    int all[4];
    #pragma hicuda singular
    for (int i = 0; i < 4; i++)
        all[i] = a[i];
    #pragma hicuda singular_end
    #pragma hicuda barrier
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 4; i < 64; i++)
        a[i] += all[i % 4];
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
