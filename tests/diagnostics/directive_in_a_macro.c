// expect-error: A0108 A0603
#define PRAGMA(x) _Pragma(#x)
#define SYNCHRONISE(a, n) \
    do { \
        PRAGMA(acc update self(a[0:n])) \
    } while (0)
#define DATA_AND_LOOP(a, n) \
    PRAGMA(acc data copy(a[0:n])) \
    PRAGMA(acc parallel loop)

void f(int n, int *a)
{
    SYNCHRONISE(a, n);
    DATA_AND_LOOP(a, n)
    for (int i = 0; i < n; i++)
        a[i]++;
}
