// expect-error: A0458 A0458
// Subscripts that are proved to leave the section on the device; a prefix that is nearly right is
// a comment to every compiler.
int a[64], b[8][8];

void outside(void)
{
    #pragma hi_cuda kernel k tblock(1) thread(1)
    #pragma hicuda global alloc a[0:31] copyin
    #pragma hicuda global alloc b[1:6][1:6] copyin
    #pragma hicuda kernel sums tblock(2) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 32; i++)
        a[i] += a[i + 1];
    #pragma hicuda loop_partition over_tblock
    for (int i = 1; i < 7; i++) {
        #pragma hicuda loop_partition over_thread
        for (int j = 1; j < 7; j++)
            b[i][j] = b[i][0];
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a b
}
