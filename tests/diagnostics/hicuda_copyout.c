// expect-error: A0452 A0407 A0407 A0407 A0407 A0407 A0407 A0452
// Copies of what the device has not.
int a[64], b[8][8], c[64];
void f(void)
{
    #pragma hicuda global copyout a[*]
    #pragma hicuda global alloc a[8:15]
    #pragma hicuda global copyout a[*]
    #pragma hicuda global copyout a[7:9]
    #pragma hicuda global copyout a[12:16]
    #pragma hicuda global free a
    #pragma hicuda global alloc b[1:6][*] copyin b[0:6][*]
    #pragma hicuda global free b
    #pragma hicuda global alloc c[0:15] copyin c[10:19]
    #pragma hicuda global copyout c[*]
    #pragma hicuda global free c
    #pragma hicuda global copyout c[*]
}
