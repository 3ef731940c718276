// expect-error: A0434 A0434 A0434 A0301
struct field { float *values; };
void f(int n, float *restrict a, struct field field, void *raw)
{
    #pragma acc parallel loop present(a)
    for (int i = 1; i < n - 1; i++) {
        #pragma acc fcw FETCH_ONLY(n[i:1:1])
        a[i] = n;
        #pragma acc fcw FETCH_ONLY(field.values[i:1:1])
        a[i] = n;
        #pragma acc fcw FETCH_ONLY(raw[i:1:1])
        a[i] = n;
        #pragma acc fcw FETCH_ONLY(b[i:1:1])
        a[i] = n;
    }
}
