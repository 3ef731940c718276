// expect-error: A0406 A0406 A0405 A0409 A0409 A0401
// Clauses `reduction` that are not understood.
float a[64], x;
void words(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global alloc x copyin
    #pragma hicuda kernel k tblock(1) thread(16)
    int n = 0;
    #pragma hicuda loop_partition over_thread reduction(x)
    for (int i = 0; i < 64; i++)
        x += a[i];
    #pragma hicuda loop_partition over_thread reduction(plus:x)
    for (int i = 0; i < 64; i++)
        x += a[i];
    #pragma hicuda loop_partition over_thread reduction(+:n) reduction(*:n)
    for (int i = 0; i < 64; i++)
        n += i;
    #pragma hicuda loop_partition over_thread reduction(&:x)
    for (int i = 0; i < 64; i++)
        x += a[i];
    #pragma hicuda loop_partition over_thread reduction(+:a)
    for (int i = 0; i < 64; i++)
        a[0] += a[i];
    #pragma hicuda reduction
    #pragma hicuda kernel_end
    #pragma hicuda global free a x
}
