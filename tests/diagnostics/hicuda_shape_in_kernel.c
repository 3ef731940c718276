// expect-error: A0415
// A shape is the host's.
void f(int n, float *p)
{
    #pragma hicuda shape p[n]
    #pragma hicuda global alloc p[*]
    #pragma hicuda kernel k tblock(1) thread(64)
    #pragma hicuda shape p[n]
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < n; i++)
        p[i] = i;
    #pragma hicuda kernel_end
    #pragma hicuda global free p
}
