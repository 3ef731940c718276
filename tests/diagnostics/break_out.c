// expect-error: A0412
void f(int n, int *a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        {
            if (a[i] == 0)
                break;
            a[i] = 1 / a[i];
        }
}
