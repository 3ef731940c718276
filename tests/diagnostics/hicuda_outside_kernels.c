// expect-error: A0415 A0415 A0415 A0415 A0415 A0415 A0415
// What threads do outside of kernels.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda shared alloc a[0:15] copyin
    #pragma hicuda barrier
    #pragma hicuda singular
    a[0] = 1;
    #pragma hicuda singular_end
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda shared copyout a[0:15]
    #pragma hicuda shared remove a
    #pragma hicuda global free a
}
#pragma hicuda kernel_end
