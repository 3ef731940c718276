// expect-error: A0412 A0412
void f(int n, int *a)
{
    if (n == 5)
        goto inside;
    #pragma acc parallel copy(a[0:n])
    {
        a[0] = 1;
    inside:
        a[1] = 2;
        if (a[2])
            goto outside;
    }
outside:
    a[3] = 4;
}
