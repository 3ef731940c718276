// expect-error: A0203 A0203 A0203 A0403 A0403 A0406 A0406 A0406 A0403
// Data without a clause, and clauses without parentheses.
float table[64];
void f(int n, float *restrict a, float *restrict b, float x)
{
    #pragma acc enter data a[0:n]
    #pragma acc exit data a[0:n], b[0:n] async(1)
    #pragma acc parallel loop table[0:64]
    for (int i = 0; i < 64; i++)
        table[i] = i;
    #pragma acc enter data table, a async
    #pragma acc update a, table
    #pragma acc update device a, table
    #pragma acc parallel loop copy table
    for (int i = 0; i < 64; i++)
        table[i] = x;
    #pragma acc update self x, table if(n > 3)
    #pragma acc parallel loop copyin(a[0:n]) b
    for (int i = 0; i < n; i++)
        b[i] = a[i];
}
