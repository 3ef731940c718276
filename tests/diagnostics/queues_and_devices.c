// expect-error: A0406 A0406 A0406 A0406 A0406 A0406
void f(int n, double d, int *a)
{
    #pragma acc parallel loop async(d) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc wait(1, -9)
    #pragma acc wait()
    #pragma acc set
    #pragma acc init device_type(toaster)
    #pragma acc host_data use_device(n)
    a[0] = 1;
}
