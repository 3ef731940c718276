// expect-error: A0404 A0404 A0404
void f(int n, int *a)
{
    #pragma acc parallel loop copy(a[0:n]) delete(a)
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc data copy(a[0:n]) num_gangs(4)
    {
        #pragma acc update self(a[0:n]) collapse(2)
        n++;
    }
}
