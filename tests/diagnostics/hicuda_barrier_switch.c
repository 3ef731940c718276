// expect-error: A0441
// A barrier in a `switch` on an iteration's value.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(1) thread(16)
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 16; i++)
        switch (a[i]) {
        case 1:
            a[i] = 1;
            #pragma hicuda barrier
        default:
            a[i] += 1;
        }
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
