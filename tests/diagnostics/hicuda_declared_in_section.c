// expect-error: A0453
// What is declared in `singular` is gone with it; between `alloc` and `remove` it is not.
int a[64], b[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global alloc b[*]
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock
    for (int i = 0; i < 4; i++) {
        #pragma hicuda shared alloc a[16 * i:16 * i + 15] copyin
        #pragma hicuda barrier
        int first = a[16 * i];
        #pragma hicuda barrier
        #pragma hicuda shared remove a
        b[i] = first;
        #pragma hicuda singular
        int last = b[i];
        #pragma hicuda singular_end
        b[i] += last;
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a b
}
