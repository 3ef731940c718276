// expect-error: A0455
// What one thread has computed, the others do not have.
float a[64];
void f(void)
{
    float x = 0;
    int i, k;
    #pragma hicuda global alloc a[*] clear
    #pragma hicuda kernel one tblock(1) thread(64)
    #pragma hicuda singular
    x = 0;
    for (k = 0; k < 4; k++)
        x += k;
    #pragma hicuda singular_end
    #pragma hicuda loop_partition over_thread
    for (i = 0; i < 64; i++)
        for (k = 0; k < 2; k++)
            a[i] += x;
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
