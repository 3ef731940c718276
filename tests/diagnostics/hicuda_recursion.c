// expect-error: A0418
// A function with directives that calls itself.
int a[64];
void part(int n)
{
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < n; i++)
        a[i] += n;
    if (n > 1)
        part(n / 2);
}
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(1) thread(16)
    part(64);
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
