// expect-error: A0401 A0403 A0401 A0401
// Case matters in directives, clauses and distributions.
int a[64];
void f(void)
{
    #pragma hicuda Global alloc a[*]
    #pragma hicuda global Alloc a[*]
    #pragma hicuda Kernel k tblock(1) thread(64)
    #pragma hicuda KERNEL_END
}
