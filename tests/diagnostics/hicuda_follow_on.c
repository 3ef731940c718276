// expect-error: A0401 A0403 A0428 A0428
// What follows from a directive that is misspelt is not told.
float a[64], b[64];
void barrier(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global alloc b[*]
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 1; i < 63; i++) {
        #pragma hicuda shared alloc a[i-1:i+1] copyin
        #pragma hicuda barier
        b[i] = a[i-1] + a[i+1];
        #pragma hicuda barrier
        #pragma hicuda shared remov a
    }
    #pragma hicuda kernel_end
    #pragma hicuda global copyout b[*]
    #pragma hicuda global free a b
}
void kernel(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hiCUDA global alloc b[*]
    #pragma hiCUDA kernel l tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++) {
        b[i] = a[i];
        #pragma hicuda barrier
    }
    #pragma hicuda kernel_end
    #pragma hicuda global copyout b[*]
    #pragma hicuda global free a b
}
