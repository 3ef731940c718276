// expect-error: A0406 A0406 A0406
// Options of copies.
int a[64], b[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++) {
        #pragma hicuda shared alloc a[i] copyin(nobndchk)
        #pragma hicuda shared alloc a[i] copyin(a)
        #pragma hicuda shared remove(nobndcheck) a
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
