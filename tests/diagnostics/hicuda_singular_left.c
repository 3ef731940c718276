// expect-error: A0412 A0412
// Control leaves `singular` before its end.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(4) thread(64)
    #pragma hicuda loop_partition over_tblock
    for (int i = 0; i < 64; i++) {
        #pragma hicuda singular
        if (a[i])
            continue;
        a[i] = 1;
        #pragma hicuda singular_end
        #pragma hicuda barrier
        a[i] += 1;
    }
    for (int i = 0; i < 64; i++) {
        #pragma hicuda singular
        if (a[i])
            break;
        a[i] = 1;
        #pragma hicuda singular_end
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
