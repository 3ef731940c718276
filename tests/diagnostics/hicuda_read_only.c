// expect-error: A0452 A0452 A0452
// Constant and texture memory that a kernel writes.
int a[64], b[64], c[64], s;
void f(void)
{
    #pragma hicuda constant copyin a[*]
    #pragma hicuda texture copyin b[*]
    #pragma hicuda constant copyin s
    #pragma hicuda global alloc c[*]
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++) {
        a[i] = i;
        b[i] = i;
        c[i] = i;
    }
    s = 1;
    #pragma hicuda kernel_end
    #pragma hicuda global free c
    #pragma hicuda constant remove a s
    #pragma hicuda texture remove b
}
