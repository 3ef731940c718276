// expect-error: A0435 A0435 A0435
struct point { float x, y[2]; };
void f(int n, struct point *restrict p, int *restrict c)
{
    #pragma acc parallel loop present(p, c)
    for (int i = 0; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(p[i:0:0], c[i:1:0])
        {
            p[i].x = c[i];
            (*(p + i)).y[1] += 2;
            c[c[i]]++;
        }
    }
}
