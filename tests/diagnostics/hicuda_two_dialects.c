// expect-error: A0457
// One function, two dialects.
int a[64];
void f(void)
{
    #pragma acc parallel loop copyout(a)
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global free a
}
