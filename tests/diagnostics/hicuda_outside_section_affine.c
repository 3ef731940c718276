// expect-error: A0458 A0458
// Subscripts over loops that leave the allocated section.
int a[64], b[8][8];
void f(void)
{
    #pragma hicuda global alloc a[0:31] copyin
    #pragma hicuda global alloc b[1:6][1:6] copyin
    #pragma hicuda kernel k tblock(2) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 32; i++)
        a[i] += a[i + 1];
    #pragma hicuda loop_partition over_tblock
    for (int i = 1; i < 7; i++) {
        #pragma hicuda loop_partition over_thread
        for (int j = 1; j < 7; j++)
            b[i][j] += b[i][j - 1];
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a b
}
