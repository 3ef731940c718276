// expect-error: A0412
// A jump into `singular`, and one into a partition.
int a[64];
void f(int n)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(1) thread(16)
    if (n)
        goto inside;
    #pragma hicuda singular
    a[0] = 1;
inside:
    a[1] = 2;
    #pragma hicuda singular_end
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
