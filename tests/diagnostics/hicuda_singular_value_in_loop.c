// expect-error: A0459
// The value of one iteration's `singular`, read in the next.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(1) thread(16)
    int last = 0;
    for (int step = 0; step < 4; step++) {
        #pragma hicuda loop_partition over_thread
        for (int i = 0; i < 64; i++)
            a[i] += last;
        #pragma hicuda barrier
        #pragma hicuda singular
        last = a[step];
        #pragma hicuda singular_end
        #pragma hicuda barrier
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
