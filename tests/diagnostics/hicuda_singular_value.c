// expect-error: A0459
// A value that one thread has and all threads read.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(4) thread(16)
    int first = 0;
    #pragma hicuda singular
    first = a[0];
    #pragma hicuda singular_end
    #pragma hicuda barrier
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 1; i < 64; i++)
        a[i] += first;
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
