// expect-error: A0407 A0407 A0407 A0407
// Pointers to structures without a length, and bounds in place of lengths.
#define N 100
struct s {
    int n;
    double *v;
};
void one(struct s *p)
{
    #pragma acc enter data copyin(p)
    p->n = 1;
}
void unseen(struct s *p)
{
    #pragma acc update device(p)
}
double gm[N][N];
void bounds(void)
{
    #pragma acc parallel loop copy(gm[1:N][1:N])
    for (int i = 0; i < N; i++)
        gm[i][0] = i;
    #pragma acc parallel loop copy(gm[2:N])
    for (int i = 2; i < N; i++)
        gm[i][0] = i;
}
