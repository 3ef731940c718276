// expect-error: A0503 A0503 A0503
#pragma acc routine vector
static int total(int n, const int *row)
{
    int sum = 0;
    #pragma acc loop vector reduction(+:sum)
    for (int j = 0; j < n; j++)
        sum += row[j];
    return sum;
}

void f(int n, const int *a, int *b)
{
    #pragma acc parallel loop gang copyin(a[0:n * n]) copy(b[0:n])
    for (int i = 0; i < n; i++) {
        b[i] = i > 3 && total(n, a + n * i);
        b[i] += i > 2 ? total(n, a + n * i) : 0;
        while (total(n, a + n * i) > b[i])
            b[i]++;
    }
}
