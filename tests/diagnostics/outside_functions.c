// expect-error: A0204
int global;
#pragma acc parallel copy(global)

void f(int n, int *a)
{
    a[0] = n;
}
