// expect-error: A0453 A0453
// A global scalar, which other functions may read.
int a[64], count;
struct pair { int x, y; } pair;
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda singular
    count = a[0];
    pair.x = 1;
    #pragma hicuda singular_end
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
