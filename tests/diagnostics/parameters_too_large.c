// expect-error: A0602
struct table {
    int v[10000];
};
void gather(struct table s, int *restrict o)
{
    #pragma acc parallel loop firstprivate(s) copyout(o[0:100])
    for (int i = 0; i < 100; i++)
        o[i] = s.v[i * 100];
}
