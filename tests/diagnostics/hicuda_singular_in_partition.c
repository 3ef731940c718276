// expect-error: A0455
// One thread of each block, in a loop whose iterations are different threads'.
int a[64], s[4];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global alloc s[*] clear
    #pragma hicuda kernel k tblock(4) thread(8)
    #pragma hicuda loop_partition over_thread
    for (int j = 0; j < 64; j++) {
        #pragma hicuda singular
        s[0] += a[j];
        #pragma hicuda singular_end
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a s
}
