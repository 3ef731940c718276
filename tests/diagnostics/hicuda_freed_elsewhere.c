// expect-error: A0452 A0452
// A free in another block, and one of nothing.
int a[64], b[64];
void f(int n)
{
    #pragma hicuda global alloc a[*] copyin
    if (n) {
        #pragma hicuda global free a
    }
    #pragma hicuda global free b
}
