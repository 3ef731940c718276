// expect-error: A0402 A0402
void f(int n, int *a, int *last)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) {
        static int calls;
        a[i] = calls;
    }
    #pragma acc parallel loop copy(a[0:n])
    for (int *p = a; p < last; p++)
        *p = 1;
}
