// expect-error: A0402 A0402
void f(int n, const int *keys, int *bins, int table[64])
{
    int counts[8] = {0};
    #pragma acc parallel loop gang copyin(keys[0:n * n]) copy(bins[0:8])
    for (int r = 0; r < 1; r++) {
        #pragma acc loop vector reduction(+:bins[0:8])
        for (int i = 0; i < n; i++)
            bins[keys[n * r + i]]++;
    }
    #pragma acc parallel num_gangs(1) copyin(keys[0:n]) copy(counts)
    {
        #pragma acc loop vector reduction(+:counts)
        for (int i = 0; i < n; i++)
            counts[keys[i]]++;
        counts[0] = 1;
    }
    table[0] = counts[3];
}
