// expect-error: A0460 A0460
// Shared memory that is read before all threads have copied their part.
int a[64], b[64];
void copies(int n)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global alloc b[*]
    #pragma hicuda kernel k1 tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 63; i++) {
        #pragma hicuda shared alloc a[i:i + 1] copyin
        b[i] = a[i + 1];
        #pragma hicuda shared remove a
    }
    #pragma hicuda kernel_end
    #pragma hicuda kernel k2 tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock
    for (int i = 0; i < 4; i++) {
        #pragma hicuda shared alloc a[16 * i:16 * i + 15] copyin
        #pragma hicuda loop_partition over_thread
        for (int j = 0; j < 16; j++)
            b[16 * i + j] = a[16 * i + 15 - j];
        #pragma hicuda barrier
        #pragma hicuda shared remove a
    }
    #pragma hicuda kernel_end
    /* A barrier, be it inside of a loop, and a thread alone. */
    #pragma hicuda kernel k3 tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock
    for (int i = 0; i < 4; i++) {
        #pragma hicuda shared alloc a[16 * i:16 * i + 15] copyin
        for (int k = 0; k < n; k++) {
            #pragma hicuda barrier
            b[i] = a[16 * i + k];
        }
        #pragma hicuda shared remove a
    }
    #pragma hicuda kernel_end
    #pragma hicuda kernel k4 tblock(4) thread(1)
    #pragma hicuda loop_partition over_tblock
    for (int i = 0; i < 4; i++) {
        #pragma hicuda shared alloc a[16 * i:16 * i + 15] copyin
        b[i] = a[16 * i + 7];
        #pragma hicuda shared remove a
    }
    #pragma hicuda kernel_end
    #pragma hicuda global copyout b[*]
    #pragma hicuda global free a b
}
