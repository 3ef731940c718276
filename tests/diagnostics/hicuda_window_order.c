// expect-error: A0452 A0452
// What is allocated last is removed first.
int a[64], b[64], c[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global alloc b[*] copyin
    #pragma hicuda global alloc c[*]
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++) {
        #pragma hicuda shared alloc a[i] copyin
        c[i] = 1;
        #pragma hicuda shared alloc b[i] copyin
        #pragma hicuda barrier
        c[i] += a[i] + b[i];
        #pragma hicuda shared remove a
        c[i] += b[i];
        #pragma hicuda shared remove b
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a b c
}
