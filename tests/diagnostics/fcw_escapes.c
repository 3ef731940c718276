// expect-error: A0436 A0436 A0436 A0436 A0436 A0436
struct point { float x, y[2]; };
float m[64][8];
void f(int n, const float *restrict a, const struct point *restrict p, float *restrict b)
{
    #pragma acc parallel loop present(a, p, b)
    for (int i = 0; i < n; i++) {
        const float *middle = a + i;
        const float *further = middle + 1;
        #pragma acc fcw FETCH_ONLY(a[i:1:1], m[i:0:0:0:0:7], p[i:0:0])
        {
            const float *whole = a, *one = &a[i];
            const float *row = m[i];
            const float *part = p[i].y;
            b[i] = whole[i] + *one + row[1] + part[1] + p[i].y[1];
            b[i] = *middle + further[1];
        }
    }
}
