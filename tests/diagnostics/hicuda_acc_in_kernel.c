// expect-error: A0415 A0457 A0415
// A directive of OpenACC in a kernel.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma acc loop
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
