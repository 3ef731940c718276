// expect-error: A0458 A0458
// Subscripts behind the end of all of an array, once and in each iteration.
int a[64], b[64];
void f(int n)
{
    #pragma hicuda global alloc a copyin
    #pragma hicuda global alloc b[*]
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++) {
        if (i < 63)
            b[i] = a[i + 1];
        if (n)
            b[i] += a[i + 64];
        b[i] += a[63 - i] + a[i - 1];
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a b
}
