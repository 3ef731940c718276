// expect-error: A0407 A0407 A0407 A0407 A0403 A0406 A0406 A0406 A0406 A0404 A0404 A0404 A0403 A0403 A0403 A0406 A0401 A0401 A0403 A0404
struct pair {
    double a, b;
};
void f(struct pair *p, int n, double *a, double *b);
void without_a_length(struct pair *p, int count)
{
    #pragma acc parallel loop copy(p)
    for (int i = 0; i < count; i++)
        p[i].a = 0;
}
void with_one(int n, double *a, double *b)
{
    int i;
    double s = 0;
    #pragma acc parallel loop copy(a[]) copyin(b[0:])
    for (i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel loop copy(a[0:n:2])
    for (i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc update host(a[0:n]) if present
    #pragma acc update self a
    #pragma acc parallel loop default(shared) copy(a[0:n])
    for (i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc parallel loop collapse copy(a[0:n])
    for (i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc parallel loop tile(sizes: 4) copy(a[0:n])
    for (i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc enter data copy(a[0:n])
    #pragma acc exit data copyin(a[0:n])
    #pragma acc set device(1)
    #pragma acc enter data alloc(a[0:n])
    #pragma acc exit data release(a[0:n])
    #pragma acc parallel loop sequential copy(a[0:n])
    for (i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc parallel loop copy(a[0:n]) if(target: n > 3)
    for (i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc update_device(a[0:n])
    #pragma acc parallel distribute copy(a[0:n])
    for (i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc data copy(a[0:n]) parallel loop
    for (i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc parallel loop copy(a[0:n]) device(0)
    for (i = 0; i < n; i++)
        a[i] = 1;
}
