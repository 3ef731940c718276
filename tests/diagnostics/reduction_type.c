// expect-error: A0409 A0409
struct pair {
    int first;
    unsigned second : 3;
};

void f(int n, const int *a)
{
    double sum = 0;
    struct pair pair = {0, 0};
    #pragma acc parallel loop copyin(a[0:n]) reduction(&:sum)
    for (int i = 0; i < n; i++)
        sum += a[i];
    #pragma acc parallel loop copyin(a[0:n]) reduction(+:pair)
    for (int i = 0; i < n; i++)
        pair.first += a[i];
}
