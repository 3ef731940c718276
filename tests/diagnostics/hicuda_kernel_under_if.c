// expect-error: A0205
// A kernel alone under an `if`.
int a[64];
void f(int n)
{
    #pragma hicuda global alloc a[*] copyin
    if (n)
        #pragma hicuda kernel k tblock(1) thread(1)
        a[0] = 1;
        #pragma hicuda kernel_end
    #pragma hicuda global free a
}
