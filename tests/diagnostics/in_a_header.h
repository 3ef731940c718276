static void fill(int n, int *a)
{
    #pragma acc parallel loop copyuot(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
}
