// expect-error: A0451
// Pointers of the host and addresses of its variables.
int a[64];
void f(int n)
{
    int *q = &n;
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel k tblock(1) thread(16)
    a[0] = *q;
    a[1] = *&n;
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
