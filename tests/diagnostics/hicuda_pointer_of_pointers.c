// expect-error: A0456 A0407
// Rows behind pointers.
void f(int n, float **p, void *v)
{
    #pragma hicuda shape p[n][n]
    #pragma hicuda global alloc p[*][*]
    #pragma hicuda global free p
    #pragma hicuda shape v[n]
    #pragma hicuda global alloc v[*]
}
