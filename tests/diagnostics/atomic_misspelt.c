// expect-error: A0403 A0403
// The form that a misspelt clause asks for is not known.
void f(int n, int *restrict a, int k)
{
    #pragma acc parallel loop copy(a[0:n], k)
    for (int i = 0; i < n; i++) {
        int v;
        #pragma acc atomic captur
        v = k++;
        a[i] = v;
        #pragma acc atomic compare
        if (k < i)
            k = i;
    }
}
