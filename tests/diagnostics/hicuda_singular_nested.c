// expect-error: A0455
// One `singular` in another.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel k tblock(1) thread(64)
    #pragma hicuda singular
    #pragma hicuda singular
    a[0] = 1;
    #pragma hicuda singular_end
    #pragma hicuda singular_end
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
