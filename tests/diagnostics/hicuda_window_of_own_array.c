// expect-error: A0434
// An array of each thread is not in device memory.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(4) thread(16)
    int t[16];
    for (int i = 0; i < 16; i++)
        t[i] = i;
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 16; i++) {
        #pragma hicuda shared alloc t[i] copyin
        #pragma hicuda barrier
        a[i] = t[i];
        #pragma hicuda shared remove t
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
