// expect-error: A0301
// A function that is declared later.
#pragma acc routine(lookup) seq
static int lookup(int i)
{
    return i + 1;
}

int f(int n)
{
    int sum = 0;
    #pragma acc parallel loop reduction(+:sum)
    for (int i = 0; i < n; i++)
        sum += lookup(i);
    return sum;
}
