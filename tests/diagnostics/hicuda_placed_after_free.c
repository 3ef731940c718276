// expect-error: A0451
// A kernel behind the `free`.
void f(int n)
{
    int a[64];
    #pragma hicuda global alloc a[*]
    #pragma hicuda global free a
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda kernel_end
}
