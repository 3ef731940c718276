// expect-error: A0301 A0301
#define COPY(x) copy(x[0:n])
#define BODY(i) a[i] = i + absent

void f(int n, int *a)
{
    #pragma acc parallel loop COPY(b)
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop COPY(a)
    for (int i = 0; i < n; i++)
        BODY(i);
}
