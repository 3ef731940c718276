// expect-error: A0406
// `free` takes names.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global free a[*]
}
