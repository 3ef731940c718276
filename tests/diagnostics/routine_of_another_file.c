// expect-error: A0414 A0414
#pragma acc routine vector
int total(int n, const int *row);

/* On the device it is one of another file. */
#pragma acc routine vector bind("total_on_device")
int total_of(int n, const int *row)
{
    int sum = 0;
    for (int j = 0; j < n; j++)
        sum += row[j];
    return sum;
}

void f(int n, const int *a, int *b)
{
    #pragma acc parallel loop gang vector copyin(a[0:n * n]) copy(b[0:n])
    for (int i = 0; i < n; i++)
        b[i] = total(n, a + n * i) + total_of(n, a + n * i);
}
