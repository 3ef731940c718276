// expect-error: A0203 A0203 A0203 A0203 A0403 A0203 A0403 A0403
// Directives in `_Pragma`, and clauses that macros make: what a call makes is replaced with it, or not at all.
#define LENGTH n
#define ARRAY a[0..n]
#define SUM reduction(+, s)
#define SECTION(x) x[0..n]
#define BODY copyy(a[0:LENGTH]) copyin(b[0:n])
#define LOOP _Pragma("acc parallel loop cpy(a[0:n])")
double f(int n, double *a, double *b)
{
    double s = 0;
    #pragma acc parallel loop copy(ARRAY) SUM
    for (int i = 0; i < n; i++)
        s += a[i];
    #pragma acc parallel loop copy(SECTION(a)) copyin(b[0..LENGTH])
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    /* ä */ _Pragma("acc parallel loop cpy(a[0:LENGTH])")
    for (int i = 0; i < n; i++)
        a[i] = 1;
    _Pragma("acc parallel loop copy(a[0..n])") for (int i = 0; i < n; i++) a[i] = 2;
    LOOP
    for (int i = 0; i < n; i++)
        a[i] = 3;
    #pragma acc parallel loop BODY
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    return s;
}
