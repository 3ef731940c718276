// One iteration of a block leaves the window, and no condition keeps it from that.
// expect-error: A0513
#define N 256
double x[N], y[N], z[N];

void leave(void)
{
    #pragma acc parallel loop vector_length(64) copyin(x) copy(y, z)
    for (int i = 1; i < N - 1; i++) {
        #pragma acc fcw FETCH_ONLY(x[i:0:0])
        {
            y[i] = x[i - 1] + x[i];
            z[i] = x[i + 1];
        }
    }
}

/* So do all of them here. */
void never(void)
{
    #pragma acc parallel loop vector_length(64) copyin(x) copy(y)
    for (int i = 1; i < N - 100; i++) {
        #pragma acc fcw FETCH_ONLY(x[i:0:0])
        y[i] = x[i + 64];
    }
}

/* The conditions keep to the window, or may do so. */
void stay(int first, int last)
{
    #pragma acc parallel loop vector_length(64) copyin(x) copy(y, z)
    for (int i = 1; i < N - 1; i++) {
        #pragma acc fcw FETCH_ONLY(x[i:0:0])
        {
            y[i] = (i - 1) % 64 > 0 ? x[i - 1] : 0;
            if (i < last)
                z[i] = x[i + 1];
        }
    }
    #pragma acc parallel loop vector_length(64) copyin(x) copy(y)
    for (int i = 1; i < N - 1; i++)
        if (i != first) {
            #pragma acc fcw FETCH_ONLY(x[i:0:0])
            y[i] = x[i - 1];
        }
}
