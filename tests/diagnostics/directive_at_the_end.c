// expect-error: A0204
void f(int n, int *a)
{
    a[0] = n;
    #pragma acc parallel copy(a[0:n])
}
