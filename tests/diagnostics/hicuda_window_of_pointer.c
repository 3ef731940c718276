// expect-error: A0456
// Shared memory of a pointer without a shape.
void f(int n, float *p, float *q)
{
    #pragma hicuda shape q[n]
    #pragma hicuda global alloc q[*]
    #pragma hicuda kernel k tblock(1) thread(16)
    #pragma hicuda shared alloc p[*] copyin
    q[0] = p[0];
    #pragma hicuda shared remove p
    #pragma hicuda kernel_end
    #pragma hicuda global free q
}
