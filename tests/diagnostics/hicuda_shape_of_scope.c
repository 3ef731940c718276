// expect-error: A0456
// A shape ends with its block.
void f(int n, float *p)
{
    if (n > 8) {
        #pragma hicuda shape p[n]
    }
    #pragma hicuda global alloc p[*]
    #pragma hicuda global free p
}
