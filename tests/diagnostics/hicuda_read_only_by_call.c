// expect-error: A0452
// Constant memory that a kernel passes to a function that writes.
int a[64];
void set(int *p)
{
    *p = 1;
}
void f(void)
{
    #pragma hicuda constant copyin a[*]
    #pragma hicuda kernel k tblock(4) thread(16)
    set(a);
    #pragma hicuda kernel_end
    #pragma hicuda constant remove a
}
