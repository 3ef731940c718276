// expect-error: A0419 A0418
// Functions that no device can have: of any number of arguments, and with variables that stay.
int a[64];

static int count(int n, ...)
{
    return n;
}

static int next(void)
{
    static const int first = 3;
    static int seen = 3;
    return seen++ + first;
}

void f(void)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel k tblock(1) thread(64)
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++)
        a[i] = count(i, 2, 3) + next();
    #pragma hicuda kernel_end
    #pragma hicuda global copyout a[*]
    #pragma hicuda global free a
}
