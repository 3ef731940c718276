// expect-error: A0416 A0407 A0406 A0419
int n, state;
double *p;
#pragma acc declare copyout(n)
#pragma acc declare create(p[0:4])
#pragma acc declare
static int next(void) { return state + 1; }
void f(int *a)
{
    #pragma acc serial copy(a[0:1])
    a[0] = next();
}
