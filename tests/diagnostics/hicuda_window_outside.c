// expect-error: A0513
// An access outside of the shared section.
int a[64], b[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global alloc b[*]
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 1; i < 63; i++) {
        #pragma hicuda shared alloc a[i - 1:i] copyin
        #pragma hicuda barrier
        b[i] = a[i - 1] + a[i + 1];
        #pragma hicuda barrier
        #pragma hicuda shared remove a
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a b
}
