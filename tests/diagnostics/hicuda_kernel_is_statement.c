// expect-error: A0205 A0205
// A directive alone under an `if`.
int a[64];
void f(int n)
{
    if (n)
        #pragma hicuda global alloc a[*] copyin
    if (n)
        #pragma hicuda global free a
    a[0] = 1;
}
