// expect-error: A0403 A0403 A0401 A0401 A0203 A0403 A0403 A0403 A0403 A0404 A0404 A0404
// What is meant by words of other models, and what of that takes more than another word.
void f(int n, double *a, double *b)
{
    double t = 0, u = 0;
    #pragma acc parallel loop copyinout(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] += i;
    #pragma acc parallel loop copy(b[0:n]) nowait
    for (int i = 0; i < n; i++)
        b[i] += i;
    #pragma acc task
    {
        a[0] = 1;
    }
    #pragma acc target
    {
        a[0] = 1;
    }
    #pragma acc update a[0:n]
    #pragma acc parallel loop to(b[0:n]) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel loop local(t) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = t = i;
    #pragma acc parallel loop shared(u) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = u;
    #pragma acc parallel loop linear(t) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = t;
    #pragma acc update copyin(a[0:n])
    #pragma acc update copyout(a[0:n])
    #pragma acc update create(a[0:n])
}
