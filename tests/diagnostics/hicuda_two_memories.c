// expect-error: A0452 A0452 A0452 A0452
// A variable has one place on the device.
int a[64], b[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda constant copyin a[*]
    #pragma hicuda constant remove a
    #pragma hicuda global alloc a[0:31]
    #pragma hicuda global free a
    #pragma hicuda constant copyin b[*] b[0:1]
    #pragma hicuda constant remove b
}
