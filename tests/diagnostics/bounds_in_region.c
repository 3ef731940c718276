// expect-error: A0505 A0505
void f(int n, const int *keys, int *bins)
{
    #pragma acc parallel copyin(keys[0:n])
    {
        int m = n / 2;
        #pragma acc loop gang reduction(+:bins[0:m])
        for (int i = 0; i < n; i++)
            bins[keys[i]]++;
    }
}
void g(int n, const int *keys, int *bins)
{
    #pragma acc parallel copyin(keys[0:n])
    {
        int m = n / 2;
        #pragma acc loop gang private(bins[0:m])
        for (int i = 0; i < n; i++)
            bins[keys[i]]++;
    }
}
