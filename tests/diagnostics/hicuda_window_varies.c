// expect-error: A0511
// A section whose length differs between the threads.
int a[64], b[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global alloc b[*]
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++) {
        #pragma hicuda shared alloc a[0:i] copyin
        #pragma hicuda barrier
        b[i] = a[i];
        #pragma hicuda barrier
        #pragma hicuda shared remove a
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a b
}
