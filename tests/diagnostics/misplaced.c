// expect-error: A0415 A0415
void f(int n, int *a)
{
    #pragma acc parallel copy(a[0:n])
    {
        #pragma acc update self(a[0:n])
        a[0] = 1;
    }
    #pragma acc loop
    for (int i = 0; i < n; i++)
        a[i] = i;
}
