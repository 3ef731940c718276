// expect-error: A0401 A0406 A0406 A0406 A0406 A0406 A0401 A0406
// What stands where another word belongs.
int a[64];
void f(void)
{
    #pragma hicuda alloc a[*] global
    #pragma hicuda global a[*] alloc
    #pragma hicuda global copyin a[*]
    #pragma hicuda global alloc
    #pragma hicuda global
    #pragma hicuda kernel tblock(1) thread(64) k
    #pragma hicuda kernel_end
    #pragma hicuda end kernel
    #pragma hicuda global free
}
