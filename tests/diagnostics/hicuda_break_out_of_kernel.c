// expect-error: A0412 A0412
// A kernel in a loop, which it cannot leave.
int a[64];
void f(int n)
{
    #pragma hicuda global alloc a[*] copyin
    for (int step = 0; step < n; step++) {
        #pragma hicuda kernel k tblock(4) thread(16)
        if (a[0] > step)
            break;
        if (a[1] > step)
            continue;
        #pragma hicuda loop_partition over_tblock over_thread
        for (int i = 0; i < 64; i++)
            a[i] += step;
        #pragma hicuda kernel_end
    }
    #pragma hicuda global free a
}
