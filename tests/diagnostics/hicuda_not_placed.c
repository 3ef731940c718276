// expect-error: A0451 A0451
// Arrays of the function that no directive put on the device.
void f(int n)
{
    int a[64], b[64], *p = b;
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++)
        a[i] += b[i] + p[i];
    #pragma hicuda kernel_end
    #pragma hicuda global copyout a[*]
    #pragma hicuda global free a
}
