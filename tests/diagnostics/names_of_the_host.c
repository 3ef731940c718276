// expect-error: A0307 A0418
int g = 12;
int accrs_copy(int x)
{
    return x + 1;
}
void fill(int *restrict p)
{
    int g = 3;
    #pragma acc parallel loop copy(p[0:20])
    for (int i = 0; i < 20; i++) {
        extern int g;
        p[i] = g;
    }
    p[0] = g;
}
