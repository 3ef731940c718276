// expect-error: A0452 A0452
// A copyout belongs right before the `remove`.
int a[64], b[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global alloc b[*] copyin
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++) {
        #pragma hicuda shared copyout b[i]
        #pragma hicuda shared alloc a[i] copyin
        #pragma hicuda barrier
        a[i] = 1;
        #pragma hicuda shared copyout a[i]
        a[i] = 2;
        #pragma hicuda shared remove a
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a b
}
