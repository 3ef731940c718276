// expect-error: A0454 A0454
// Partitions nest no deeper than the kernel has dimensions.
int a[8][8];
void f(void)
{
    #pragma hicuda global alloc a[*][*]
    #pragma hicuda kernel blocks tblock(4) thread(4, 4)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 8; i++) {
        #pragma hicuda loop_partition over_tblock over_thread
        for (int j = 0; j < 8; j++)
            a[i][j] = i;
    }
    #pragma hicuda kernel_end
    #pragma hicuda kernel threads tblock(4, 2) thread(4)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 8; i++) {
        #pragma hicuda loop_partition over_thread
        for (int j = 0; j < 8; j++)
            a[i][j] = i;
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
