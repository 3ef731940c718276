// expect-error: A0520
// Barriers that not all threads of a block reach.
float a[64];

void barriers(int n)
{
    #pragma hicuda global alloc a[*] clear
    #pragma hicuda kernel one tblock(1) thread(64)
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++) {
        for (int j = 0; j < i; j++) {
            #pragma hicuda barrier
            a[i] += 1;
        }
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
