// expect-error: A0418
// A kernel calls a function that has one.
int a[64];
void g(void)
{
    #pragma hicuda kernel inner tblock(1) thread(64)
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda kernel_end
}
void f(void)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel outer tblock(1) thread(64)
    g();
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
