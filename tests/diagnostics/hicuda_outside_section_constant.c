// expect-error: A0458 A0458 A0458 A0458
// Subscripts that the allocated section has not, as numbers.
int a[64], b[8][8];
void f(void)
{
    #pragma hicuda global alloc a[8:15] copyin
    #pragma hicuda global alloc b[1:6][1:6] copyin
    #pragma hicuda kernel k tblock(1) thread(1)
    a[8] = a[16];
    a[7] = 1;
    b[1][0] = 1;
    b[7][1] = 1;
    #pragma hicuda kernel_end
    #pragma hicuda global free a b
}
