// expect-error: A0512
// More shared memory than a block of any device has.
double a[40000], b[40000];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global alloc b[*]
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda shared alloc a copyin
    #pragma hicuda barrier
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 40000; i++)
        b[i] = a[39999 - i];
    #pragma hicuda barrier
    #pragma hicuda shared remove a
    #pragma hicuda kernel_end
    #pragma hicuda global free a b
}
