// expect-error: A0406 A0406 A0301
// A kernel has one name, an identifier.
int a[64];
void f(void)
{
    #pragma hicuda kernel tblock(1) thread(64)
    #pragma hicuda kernel_end
    #pragma hicuda kernel k l tblock(1) thread(64)
    #pragma hicuda kernel_end
    #pragma hicuda kernel k[1] tblock(1) thread(64)
    #pragma hicuda kernel_end
}
