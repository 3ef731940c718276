// expect-error: A0419 A0402
static int count(int i)
{
    static int calls;
    return i + calls++;
}

void f(int n, int *restrict a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) {
        static int last;
        a[i] = last;
        last = count(i);
    }
}
