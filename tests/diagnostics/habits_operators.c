// expect-error: A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203
// Operators and names of lists; marks and comments behind a directive.
void f(int n, double *a, double *b)
{
    double s = 0, t = 0;
    #pragma acc parallel loop reduction(s, +)
    for (int i = 0; i < n; i++)
        s += i;
    #pragma acc parallel loop reduction(++:s)
    for (int i = 0; i < n; i++)
        s += i;
    #pragma acc parallel loop reduction(+:s, +:t)
    for (int i = 0; i < n; i++)
        s += t += i;
    #pragma acc parallel loop reduction(+:s t)
    for (int i = 0; i < n; i++)
        s += t += i;
    #pragma acc parallel loop copy(a b)
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel loop: copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop # rows
    for (int i = 0; i < n; i++)
        a[i] = i;
    #pragma acc parallel loop copy(a[0:n]) &
    #pragma acc copyin(b[0:n])
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel loop copyin(b[0:n])
    #pragma acc& copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = b[i];
}
