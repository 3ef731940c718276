// expect-error: A0402
// A part of the rows, used otherwise than by its elements.
int a[8][8];
int sum(const int *row)
{
    return row[1] + row[2];
}
void f(void)
{
    int *p;
    #pragma hicuda global alloc a[*][1:6] copyin
    #pragma hicuda kernel k tblock(1) thread(1)
    a[0][1] = sum(a[1]);
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
