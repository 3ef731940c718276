// expect-error: A0450 A0450
// A kernel that does not end, and one that did not begin.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel k tblock(1) thread(64)
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda global free a
}
void g(void)
{
    a[0] = 1;
    #pragma hicuda kernel_end
    a[1] = 1;
}
