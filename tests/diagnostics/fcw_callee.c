// expect-error: A0419 A0437
float field[1024];
static float inner(int i) { return field[i]; }
static float outer(int i) { return inner(i - 1); }
void f(int n, float *restrict b)
{
    #pragma acc parallel loop present(b)
    for (int i = 1; i < n; i++) {
        #pragma acc fcw FETCH_CHANNEL(field[i:1:0])
        b[i] = outer(i);
    }
}
