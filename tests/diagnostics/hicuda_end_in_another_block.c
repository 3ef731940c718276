// expect-error: A0450
// An end in a block of its own.
int a[64];
void f(int n)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel k tblock(1) thread(64)
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++)
        a[i] = i;
    if (n) {
        a[0] = n;
    #pragma hicuda kernel_end
    }
    #pragma hicuda global free a
}
