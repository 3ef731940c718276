// expect-error: A0406 A0406 A0406 A0454 A0454 A0410 A0411 A0412 A0412
// Partitions without a dimension, without a loop, without a count.
float a[64][64];

void partitions(int n)
{
    #pragma hicuda global alloc a[*][*]
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition
    for (int i = 0; i < 64; i++)
        a[i][0] = i;
    #pragma hicuda loop_partition over_tblock(block)
    for (int i = 0; i < 64; i++)
        a[i][0] = i;
    #pragma hicuda loop_partition over_thread(CYCLIC)
    for (int i = 0; i < 64; i++)
        a[i][0] = i;
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++) {
        #pragma hicuda loop_partition over_tblock
        for (int j = 0; j < 64; j++)
            a[i][j] = i;
        #pragma hicuda loop_partition over_thread
        for (int j = 0; j < 64; j++)
            a[i][j] = i;
    }
    #pragma hicuda loop_partition over_thread
    a[0][0] = 1;
    #pragma hicuda loop_partition over_thread
    for (int i = 0; a[i][0] > 0; i++)
        a[i][0] = -1;
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++) {
        if (a[i][0] > n)
            break;
        if (a[i][1] > n)
            return;
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
