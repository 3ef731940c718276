// expect-error: A0450 A0415
// A `singular` that does not end in its block, and an end alone.
int a[64];
void f(int n)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel k tblock(1) thread(64)
    if (n) {
        #pragma hicuda singular
        a[0] = 1;
    }
    if (n > 1) {
        a[0] = 1;
        #pragma hicuda singular_end
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
