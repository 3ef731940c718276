// expect-error: A0415 A0415
// A kernel in a kernel.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel outer tblock(1) thread(64)
    #pragma hicuda kernel inner tblock(1) thread(64)
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda kernel_end
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
