// expect-error: A0501
void f(int n, int *a)
{
    #pragma acc parallel loop gang worker vector num_workers(64) vector_length(128) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
}
