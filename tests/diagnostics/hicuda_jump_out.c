// expect-error: A0412 A0412 A0412
// Jumps out of partitions and kernels.
int a[64];
int f(int n)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(4) thread(16)
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++) {
        if (a[i] == 1)
            break;
        if (a[i] == 2)
            return 1;
        if (a[i] == 3)
            goto out;
        a[i] = 0;
    }
    #pragma hicuda kernel_end
out:
    #pragma hicuda global free a
    return 0;
}
