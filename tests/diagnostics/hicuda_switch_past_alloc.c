// expect-error: A0452
// A `case` inside of the life of device memory.
int a[64];
void f(int n)
{
    switch (n) {
    case 0:
        ;
        #pragma hicuda global alloc a[*] copyin
    case 1:
        a[0] = 1;
        #pragma hicuda global free a
    }
}
