// expect-error: A0402 A0402
void f(int n, int *a)
{
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++) {
        #pragma acc atomic update
        a[0] += i;
    }
    #pragma acc parallel loop tile(4) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i;
}
