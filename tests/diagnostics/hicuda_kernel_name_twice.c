// expect-error: A0405
// The output has a function for each kernel.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel fill tblock(1) thread(64)
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
void g(void)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel fill tblock(1) thread(64)
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++)
        a[i] = 2 * i;
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
