// expect-error: A0407 A0407
struct list {
    int n;
    double values[];
};
void f(int n, struct list *p, double *r)
{
    #pragma acc enter data copyin(p[0:1], p->values[0:n])
    #pragma acc parallel loop copyin(p->values) copyout(r[0:n])
    for (int i = 0; i < n; i++)
        r[i] = p->values[i];
}
