// expect-error: A0415
// Functions with directives that cannot be part of a kernel.
int a[64];
int count(int n)
{
    if (n == 0)
        return 0;
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < n; i++)
        a[i] += n;
    return n;
}
void part(int n)
{
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < n; i++)
        a[i] += n;
}
void f(void)
{
    void (*other)(int) = part;
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(1) thread(16)
    a[count(3)] = 1;
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
