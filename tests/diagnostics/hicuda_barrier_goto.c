// expect-error: A0441 A0441
// Jumps around barriers.
int a[64];
void forward(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k1 tblock(1) thread(16)
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 16; i++) {
        if (a[i])
            goto behind;
        #pragma hicuda barrier
        a[i] = 1;
    behind:
        a[i] += 1;
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
void back(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k2 tblock(1) thread(16)
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 16; i++) {
    again:
        #pragma hicuda barrier
        a[i] -= 1;
        if (a[i] > 0)
            goto again;
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
/* No barrier is passed by. */
void right(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k3 tblock(1) thread(16)
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 16; i++) {
        #pragma hicuda barrier
        for (int k = 0; k < 3; k++) {
            if (a[i] > k)
                goto next;
            a[i] += 1;
        next:;
        }
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
