// expect-error: A0603 A0108
#define WHOLE(name) \
    void name(int n, int *a) \
    { \
        _Pragma("acc parallel loop copy(a[0:n])") \
        for (int i = 0; i < n; i++) \
            a[i]++; \
    }
#define NESTED(name) \
    void name(int n, int *a) \
    { \
        _Pragma("acc data copy(a[0:n])") \
        { \
            _Pragma("acc parallel") \
            { \
                _Pragma("acc loop gang") \
                for (int i = 0; i < n; i++) \
                    a[i]++; \
            } \
        } \
    }

WHOLE(f)
NESTED(g)
