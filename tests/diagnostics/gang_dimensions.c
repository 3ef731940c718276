// expect-error: A0406 A0414 A0406 A0416 A0416 A0416
void f(int n, int *a)
{
    #pragma acc parallel copy(a[0:n])
    {
        #pragma acc loop gang(dim:4)
        for (int i = 0; i < n; i++)
            a[i] = i;
    }
    #pragma acc parallel copy(a[0:n])
    {
        #pragma acc loop gang(dim:1)
        for (int i = 0; i < n; i++) {
            #pragma acc loop gang(dim:2)
            for (int j = 0; j < n; j++)
                a[i] = j;
        }
    }
    #pragma acc parallel loop num_gangs(n, 0) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    int sum = 0;
    #pragma acc parallel num_gangs(2, 3) reduction(+:sum)
    sum++;
    #pragma acc parallel loop gang num_gangs(2, 3) reduction(+:sum)
    for (int i = 0; i < n; i++)
        sum += i;
    #pragma acc parallel num_gangs(2, 3) copy(sum)
    {
        #pragma acc loop gang reduction(+:sum)
        for (int i = 0; i < n; i++)
            sum += i;
    }
    a[0] = sum;
}
