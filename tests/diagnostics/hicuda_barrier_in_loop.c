// expect-error: A0520
// A barrier in a loop that threads run differently often.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++)
        for (int k = 0; k < i; k++) {
            a[i] += k;
            #pragma hicuda barrier
        }
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
