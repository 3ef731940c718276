// expect-error: A0406
// More blocks than are launched.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel k tblock(65536, 65536) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
