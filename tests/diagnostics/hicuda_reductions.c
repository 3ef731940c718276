// expect-error: A0461 A0461 A0461 A0461 A0461 A0461 A0461
// Reductions whose threads do not share the loops, or whose value is not there yet.
float a[64][64], rows[64], total;
void parts(void)
{
    float lost = 0;
    #pragma hicuda global alloc a[*][*] copyin
    #pragma hicuda global alloc rows[*]
    #pragma hicuda global alloc total copyin
    #pragma hicuda kernel not_all_threads tblock(64) thread(4, 16)
    #pragma hicuda loop_partition over_tblock
    for (int i = 0; i < 64; i++) {
        float sum = 0;
        #pragma hicuda loop_partition over_thread reduction(+:sum)
        for (int j = 0; j < 64; j++)
            sum += a[i][j];
        rows[i] = sum;
    }
    #pragma hicuda kernel_end
    #pragma hicuda kernel not_all_blocks tblock(8, 8) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread reduction(+:total)
    for (int i = 0; i < 64; i++)
        total += a[i][i];
    #pragma hicuda kernel_end
    #pragma hicuda kernel in_a_partition tblock(8) thread(4, 16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++) {
        float sum = 0;
        #pragma hicuda loop_partition over_thread reduction(+:sum)
        for (int j = 0; j < 64; j++)
            sum += a[i][j];
        rows[i] = sum;
    }
    #pragma hicuda kernel_end
    #pragma hicuda kernel not_in_memory tblock(8) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread reduction(+:lost)
    for (int i = 0; i < 64; i++)
        lost += a[i][i];
    #pragma hicuda kernel_end
    #pragma hicuda kernel in_memory tblock(1) thread(16)
    #pragma hicuda loop_partition over_thread reduction(+:total)
    for (int i = 0; i < 64; i++)
        total += a[i][i];
    #pragma hicuda kernel_end
    #pragma hicuda kernel too_early tblock(8) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread reduction(+:total)
    for (int i = 0; i < 64; i++)
        total += a[i][i];
    rows[0] = total;
    #pragma hicuda kernel_end
    #pragma hicuda kernel uneven tblock(8) thread(4, 16)
    #pragma hicuda loop_partition over_tblock over_thread reduction(+:total)
    for (int i = 0; i < 64; i++) {
        total += 1;
        #pragma hicuda loop_partition over_thread reduction(+:total)
        for (int j = 0; j < 64; j++)
            total += a[i][j];
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a rows total
}
