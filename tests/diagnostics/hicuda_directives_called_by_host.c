// expect-error: A0415
// A function with threads' directives that the host calls, too.
int a[64];
void part(int n)
{
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < n; i++)
        a[i] += n;
}
void f(void)
{
    part(3);
}
