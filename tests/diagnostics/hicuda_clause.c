// expect-error: A0403 A0404 A0403 A0405 A0404 A0403 A0403 A0404
// Clauses that do not exist, are another directive's, or come twice.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyinn
    #pragma hicuda global alloc a[*] remove
    #pragma hicuda global alloc a[*] present(a)
    #pragma hicuda global alloc a[*] copyin copyin
    #pragma hicuda constant alloc a[*] clear
    #pragma hicuda kernel k tblock(1) thread(64) async
    #pragma hicuda kernel_end
    #pragma hicuda kernel k tblock(1) threads(64)
    #pragma hicuda kernel_end
    #pragma hicuda barrier nowait
}
