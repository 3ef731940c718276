// expect-error: A0452 A0452 A0452
// What is allocated is freed in the same block.
int a[64], b[64], c[64];
void f(int n)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda constant copyin b[*]
    if (n) {
        #pragma hicuda texture copyin c[*]
    }
}
