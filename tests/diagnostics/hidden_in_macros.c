// expect-error: A0108 A0603 A0108
#define PRAGMA(x) _Pragma(#x)
#define SYNCHRONISE(a, n) \
    do { \
        PRAGMA(acc update self(a[0:n])) \
    } while (0)
#define WHOLE(name) \
    void name(int n, int *a) \
    { \
        PRAGMA(acc parallel loop copy(a[0:n])) \
        for (int i = 0; i < n; i++) \
            a[i] = __COUNTER__; \
    }
#define NESTED(name) \
    void name(int n, int *a) \
    { \
        PRAGMA(acc data copy(a[0:n])) \
        { \
            PRAGMA(acc parallel loop) \
            for (int i = 0; i < n; i++) \
                a[i] = __COUNTER__; \
        } \
    }

void f(int n, int *a)
{
    SYNCHRONISE(a,
#ifdef HALF
                n / 2
#else
                n
#endif
    );
}

WHOLE(g)
NESTED(h)

int later(void)
{
    return __COUNTER__;
}
