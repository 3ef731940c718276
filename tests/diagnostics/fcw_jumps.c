// expect-error: A0441 A0441 A0441
void f(int n, int *restrict a, const int *restrict b, int *restrict b2)
{
    #pragma acc parallel loop vector_length(64) present(a, b, b2)
    for (int i = 0; i < n; i++) {
        if (b[i] > 5)
            goto done;
        if (b[i] > 4) {
            if (b[i] > 6)
                goto fine;
            fine:;
        }
        #pragma acc fcw FETCH_CHANNEL(a[i:0:1])
        {
            switch (b[i]) {
            case 1:
                a[i] = 1;
                break;
            }
            again:
            a[i] = 2;
            if (a[i + 1] > 2)
                goto again;
            switch (b[i + 1]) {
            case 1:
                b2[i] = 1;
            }
        }
        done:;
    }
}
