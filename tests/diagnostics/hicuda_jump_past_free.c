// expect-error: A0452 A0452 A0452 A0452
// Jumps that leave memory allocated.
int a[64];
int f(int n)
{
    for (int i = 0; i < n; i++) {
        #pragma hicuda global alloc a[*] copyin
        if (i == 1)
            return 1;
        if (i == 2)
            break;
        if (i == 3)
            continue;
        if (i == 4)
            goto out;
        #pragma hicuda global free a
    }
out:
    return 0;
}
