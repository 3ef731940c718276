// expect-error: A0452 A0403 A0401 A0401 A0406 A0401
// Words of other models, and what a directive names in parentheses.
#define N 128
float a[N], b[N];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global allocate b[*]
    #pragma hicuda kernel add tblock(4) thread(32)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < N; i++)
        b[i] = a[i];
    #pragma hicuda syncthreads
    #pragma hicuda kernel_end
    #pragma hicuda copyout b[*]
    #pragma hicuda global free(a, b)
    #pragma hicuda end_kernel
}
