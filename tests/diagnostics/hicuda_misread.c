// expect-error: A0203 A0401 A0401 A0403 A0401 A0203 A0401
// What cannot be read brings no errors about what it would end, place or free.
float a[128], b[128];
void f(void)
{
    #pragma hicuda global alloc(a[*]) copyin
    #pragma hicuda kernels k tblock(4) thread(32)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 128; i++)
        a[i] = 2;
    #pragma hicuda end kernel
    #pragma hicuda global copyback a[*]
    #pragma hicuda free a
}
void g(void)
{
    #pragma hicuda global alloc a[*] copyin a[*], b[*]
    #pragma hicuda kernal k tblock(4) thread(32)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 128; i++)
        a[i] = 2;
    #pragma hicuda kernel_end
    #pragma hicuda global copyout a[*]
    #pragma hicuda global free a
}
