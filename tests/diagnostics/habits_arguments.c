// expect-error: A0403 A0403 A0403 A0203 A0203 A0404 A0406 A0406 A0403 A0203 A0203 A0203 A0203 A0403 A0406 A0406 A0401 A0301 A0203 A0203
// What stands in parentheses that the directive or clause has otherwise.
void f(int n, float *restrict a, float *restrict b)
{
    #pragma acc wait queue(1)
    #pragma acc wait stream(1, 2)
    #pragma acc wait queue
    #pragma acc wait(1 2)
    #pragma acc wait(devnum=0: 1)
    #pragma acc init device(nvidia)
    #pragma acc init(nvidia)
    #pragma acc shutdown(0)
    #pragma acc set default async(1)
    #pragma acc parallel loop gang(num=4)
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel loop gang(num:4, static 8)
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel worker(num 4)
    {
        a[0] = 1;
    }
    #pragma acc kernels loop gang(num=4)
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel loop queue(1)
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc host_data(b)
    {
        b[0] = 1;
    }
    {
        float local[4];
        #pragma acc declare link(local)
        local[0] = a[0];
    }
    #pragma acc paralel for
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel loop async(acc_async_sync)
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel loop
    for (int i = 1; i < n - 1; i++) {
        #pragma acc fcw FETCH_ONLY(a(i:1:1))
        b[i] = a[i - 1] + a[i + 1];
    }
    #pragma acc parallel loop
    for (int i = 1; i < n - 1; i++) {
        #pragma acc fcw FETCH_ONLY(a[i-1..i+1])
        b[i] = a[i - 1] + a[i + 1];
    }
}
