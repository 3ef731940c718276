// expect-error: A0437 A0419 A0437 A0419 A0419 A0437 A0437 A0437 A0437 A0437 A0437
float field[1024];
static float sum(const float *p, int n) { return n ? p[n] + sum(p, n - 1) : 0; }
static float down(int i) { return i ? field[i] + down(i - 1) : 0; }
static float next(const float *p) { p++; return *p; }
static float count(const float *p, int i) { static int calls; return p[i] + calls++; }
static float jump(const float *p, int i) { if (p[i] > 0) goto end; i++; end: return p[i]; }
static float last(const float *p, int n) { float s = 0; while (n-- > 0) s = p[n]; return s; }
static float bytes(const char *p) { return p[0]; }
float scale;
static float scaled(const float *p, int i) { return p[i] * scale; }
void f(int n, const float *restrict a, float *restrict b)
{
    #pragma acc parallel loop present(a, b)
    for (int i = 1; i < n; i++) {
        float scale = i;
        #pragma acc fcw FETCH_ONLY(field[i:1:0], a[i:1:1])
        {
            b[i] = sum(a, i) + down(i);
            b[i] += next(a);
            b[i] += count(a, i);
            b[i] += jump(a, i);
            if (b[i] > 0 && last(a, i) > 0)
                b[i] += bytes((const char *)a);
            b[i] += scaled(a, i) * scale;
        }
    }
}
