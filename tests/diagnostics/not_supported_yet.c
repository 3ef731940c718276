// expect-error: A0402
void f(int n, int *a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) {
        static int calls;
        a[i] = calls;
    }
}
