// expect-error: A0452
// A jump into the life of device memory.
int a[64];
void f(int n)
{
    if (n)
        goto inside;
    #pragma hicuda global alloc a[*] copyin
inside:
    a[0] = 1;
    #pragma hicuda global free a
}
