// expect-error: A0453 A0453
// A scalar that a kernel writes and the host reads.
int a[64];
int f(void)
{
    int last = 0, sum = 0;
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++) {
        last = a[i];
        sum += a[i];
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a
    return last + sum;
}
