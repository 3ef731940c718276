// expect-error: A0407
// Prefixes that are nearly `hicuda`.
int a[64], x;
void f(void)
{
    #pragma hi_cuda global alloc a[*] copyin
    #pragma HICUDA kernel k tblock(1) thread(64)
    #pragma hicude loop_partition over_thread
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma HiCUDA kernel_end
    #pragma hicuda global alloc x[*]
}
