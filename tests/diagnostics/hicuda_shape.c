// expect-error: A0456 A0456 A0456 A0456 A0456 A0406 A0456 A0407 A0456 A0456
// Shapes are for pointers, with the length of each dimension.
int a[64], s;
void f(int n, float *p, float *q)
{
    #pragma hicuda shape a[64]
    #pragma hicuda shape s[1]
    #pragma hicuda shape p
    #pragma hicuda shape p[*]
    #pragma hicuda shape p[0:n]
    #pragma hicuda shape
    #pragma hicuda shape p[0]
    #pragma hicuda shape p[1.5]
    #pragma hicuda global alloc q[*]
    #pragma hicuda global alloc q
}
