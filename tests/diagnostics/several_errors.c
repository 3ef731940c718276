// expect-error: A0403 A0301 A0411 A0412
void f(int n, int *a)
{
    #pragma acc parallel loop copi(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    a[0] = nowhere;
    #pragma acc parallel loop copy(a[0:n])
    for (int i = n; i > 0; i /= 2)
        a[i] = i;
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        if (a[i])
            break;
}
