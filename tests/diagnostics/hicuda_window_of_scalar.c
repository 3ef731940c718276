// expect-error: A0434 A0434
// Shared memory has sections of arrays.
int a[64], s;
struct pair { int x, y; } pair;
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global alloc s copyin
    #pragma hicuda global alloc pair copyin
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda shared alloc s copyin
    a[0] = s;
    #pragma hicuda shared remove s
    #pragma hicuda shared alloc pair copyin
    a[0] = pair.x;
    #pragma hicuda shared remove pair
    #pragma hicuda kernel_end
    #pragma hicuda global free a s pair
}
