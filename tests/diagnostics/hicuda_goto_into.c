// expect-error: A0412
// A jump into a kernel.
int a[64];
void f(int n)
{
    #pragma hicuda global alloc a[*] copyin
    if (n)
        goto inside;
    #pragma hicuda kernel k tblock(4) thread(16)
    a[0] = 1;
inside:
    a[1] = 1;
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
