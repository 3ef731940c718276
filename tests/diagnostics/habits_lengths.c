// expect-error: A0203 A0203 A0203 A0406 A0406 A0406 A0406 A0203 A0406 A0407 A0407 A0407 A0407 A0406 A0407 A0407 A0407 A0407 A0407 A0407 A0407
// Sections by first and last element, without brackets or without a length; modifiers without a colon.
float table[100];
void f(int n, int m, float *restrict a, float *restrict b)
{
    #pragma acc update device(a(0:n-1))
    #pragma acc update device(a(0:n))
    #pragma acc update device(a(0:9))
    #pragma acc parallel loop copyin(b:n) copyout(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel loop copyin(b:0:n) copyout(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel loop copyin(readonly, b[0:n]) create(zero, a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc update self(a[0:n], b 0:n)
    #pragma acc update self(b:n, a:n)
    #pragma acc data copy(table[][0:10])
    {
        table[0] = 1;
    }
    #pragma acc parallel loop copy(a)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i * m + j] = 0;
    #pragma acc parallel loop copy(b)
    for (int i = 1; i < n - 1; i++)
        b[i + 1] = b[i - 1];
    #pragma acc parallel loop copy(a[])
    for (int i = 0; i < n; i++)
        a[i] = 0;
    #pragma acc parallel loop default(presnt) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 0;
}
void g(int n, int m, int l, double *a, double *b)
{
    #pragma acc parallel loop copyin(b) copyout(a)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double s = 0;
            for (int k = 0; k < l; k++)
                s += b[i * l + k];
            a[i * m + j] = s;
        }
    #pragma acc parallel loop collapse(2) copy(a)
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < m - 1; j++)
            a[i * m + j] = 0;
    #pragma acc parallel loop copy(a)
    for (int i = 0; i <= n; i++)
        a[2 * i] = 0;
    for (int rows = 1; rows < n; rows++) {
        #pragma acc data copy(b)
        {
            #pragma acc parallel loop
            for (int i = 0; i < rows; i++)
                b[i] = 0;
        }
        int later = rows;
        #pragma acc parallel loop copy(b)
        for (int i = 0; i < m; i++)
            for (int j = i; j < later; j++)
                b[i * n + j] = 0;
        #pragma acc parallel loop copy(b)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < l; j++)
                b[(unsigned long)i * l + j] = 0;
    }
}
