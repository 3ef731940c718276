// expect-error: A0415 A0415 A0415 A0415 A0415
// The host manages all memory but the shared one.
int a[64], b[64];
void f(void)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel k tblock(1) thread(64)
    #pragma hicuda global alloc b[*]
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda global copyout a[*]
    #pragma hicuda constant copyin b[*]
    #pragma hicuda texture copyin b[*]
    #pragma hicuda global free b
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
