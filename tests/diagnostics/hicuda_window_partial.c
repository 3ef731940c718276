// expect-error: A0402
// Windows filled or written back in part.
int a[64], b[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global alloc b[*] copyin
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 1; i < 63; i++) {
        #pragma hicuda shared alloc a[i-1:i+1] copyin a[i]
        #pragma hicuda barrier
        a[i] += 1;
        #pragma hicuda barrier
        #pragma hicuda shared copyout a[i]
        #pragma hicuda shared remove a
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a b
}
