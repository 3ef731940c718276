// expect-error: A0418
// A function with directives that takes a variable number of arguments.
int a[64];
void wait(int n, ...)
{
    #pragma hicuda barrier
}
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(1) thread(16)
    wait(1, 2);
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
