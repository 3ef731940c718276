// expect-error: A0411 A0411 A0411 A0411 A0411
// Loops whose iterations cannot be counted before they begin.
int a[64];
void f(int n)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_thread
    for (int i = 1; i < 64; i *= 2)
        a[i] = 0;
    #pragma hicuda loop_partition over_thread
    for (int i = 0; a[i]; i++)
        a[i] = 0;
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++) {
        a[i] = 0;
        i += a[i + 1];
    }
    #pragma hicuda loop_partition over_thread
    for (float x = 0; x < 64; x++)
        a[(int)x] = 0;
    #pragma hicuda loop_partition over_thread
    for (;;)
        a[0] = 0;
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
