// expect-error: A0406 A0406 A0406 A0406 A0406
// Distributions are `BLOCK` and `CYCLIC`, of blocks alone.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock(block)
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda loop_partition over_tblock(RANDOM) over_thread
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda loop_partition over_tblock over_thread(CYCLIC)
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda loop_partition over_tblock(BLOCK, CYCLIC)
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda loop_partition
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
