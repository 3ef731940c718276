// options: --strict
// expect-error: A0414 A0414 A0402 A0414 A0414
#pragma acc routine vector
static int total(int n, const int *row)
{
    int sum = 0;
    #pragma acc loop vector reduction(+:sum)
    for (int j = 0; j < n; j++)
        sum += row[j];
    return sum;
}

#pragma acc routine worker
static int all(int n, const int *row)
{
    int sum = 0;
    #pragma acc loop worker reduction(+:sum)
    for (int j = 0; j < n; j++)
        sum += total(n, row + n * j);
    return sum;
}

static int plain(int n, const int *row)
{
    return total(n, row);
}

#pragma acc routine vector
static int above(int n, const int *row)
{
    return all(n, row);
}

#pragma acc routine vector
static int halves(int n, const int *row)
{
    if (n < 2)
        return 0;
    int left = halves(n / 2, row);
    return left + halves(n - n / 2, row + n / 2);
}

void f(int n, const int *a, int *b)
{
    #pragma acc parallel loop gang vector copyin(a[0:n * n * n]) copy(b[0:n])
    for (int i = 0; i < n; i++)
        b[i] = total(n, a + n * n * i);
    #pragma acc parallel loop gang worker copyin(a[0:n * n * n]) copy(b[0:n])
    for (int i = 0; i < n; i++)
        b[i] = all(n, a + n * n * i);
    #pragma acc parallel loop gang copyin(a[0:n * n * n]) copy(b[0:n])
    for (int i = 0; i < n; i++)
        b[i] = plain(n, a + n * n * i) + halves(n, a) + above(n, a);
}
