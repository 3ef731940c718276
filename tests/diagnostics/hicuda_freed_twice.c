// expect-error: A0452 A0452 A0452
// Each variable is freed once.
int a[64];
void f(int n)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global free a
    #pragma hicuda global free a
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global free a a
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda constant remove a
    #pragma hicuda global free a
}
