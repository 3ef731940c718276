// expect-error: A0453
// A pointer of the host that a kernel changes.
int a[64];
void f(int *p)
{
    #pragma hicuda shape p[64]
    #pragma hicuda global alloc p[*] copyin
    #pragma hicuda kernel k tblock(1) thread(1)
    *p = 1;
    p++;
    *p = 2;
    #pragma hicuda kernel_end
    #pragma hicuda global free p
    *p = 3;
}
