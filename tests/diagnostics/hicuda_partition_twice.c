// expect-error: A0410
// Two partitions of one loop.
int a[64];
void f(int n)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++)
        a[i] = 0;
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
