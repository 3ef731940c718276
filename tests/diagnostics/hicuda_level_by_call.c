// expect-error: A0454
// The level of a partition in a function is that of its call.
int a[8][8];
void row(int *a)
{
    #pragma hicuda loop_partition over_thread
    for (int j = 0; j < 8; j++)
        a[j] = j;
}
void f(void)
{
    #pragma hicuda global alloc a[*][*]
    #pragma hicuda kernel k tblock(4) thread(4)
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 8; i++)
        row(a[i]);
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
