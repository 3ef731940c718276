// expect-error: A0412 A0412
int f(int n, int *a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) {
        if (a[i] == 0)
            return i;
        a[i] = 1 / a[i];
    }
    #pragma acc data copy(a[0:n])
    {
        if (n == 3)
            return 0;
    }
    return -1;
}
