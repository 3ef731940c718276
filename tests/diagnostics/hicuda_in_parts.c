// expect-error: A0453 A0402
// A partitioned loop's counter that the host reads; a window that is copied back in part.
float a[64], c[64][4];

int counter(void)
{
    int i;
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel fill tblock(2) thread(32)
    #pragma hicuda loop_partition over_tblock over_thread
    for (i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda kernel_end
    #pragma hicuda global copyout a[*]
    #pragma hicuda global free a
    return i;
}

void parts(void)
{
    #pragma hicuda global alloc c[*][*] copyin
    #pragma hicuda kernel twice tblock(64) thread(4)
    #pragma hicuda loop_partition over_tblock
    for (int i = 0; i < 64; i++) {
        #pragma hicuda shared alloc c[i][0:3] copyin
        #pragma hicuda barrier
        #pragma hicuda loop_partition over_thread
        for (int j = 0; j < 4; j++)
            c[i][j] *= 2;
        #pragma hicuda barrier
        #pragma hicuda shared copyout c[i][0:1]
        #pragma hicuda shared remove c
    }
    #pragma hicuda kernel_end
    #pragma hicuda global copyout c[*][*]
    #pragma hicuda global free c
}
