// expect-error: A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0203 A0406 A0406 A0408 A0408 A0203
// Brackets, colons and separators of other languages, and sections with as many dimensions as their arrays have.
float table[64];
void f(int n, float *restrict a, float *restrict b, float (*restrict m)[64], float s)
{
    #pragma acc update device[a]
    #pragma acc update device[a[0:n]]
    #pragma acc parallel loop copy[table[0:64]] private[s] wait[1] num_gangs{4}
    for (int i = 0; i < 64; i++)
        table[i] = s = 1;
    #pragma acc parallel loop tile[8,8] copy(m[0:n,0:64])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 64; j++)
            m[i][j] = 1;
    #pragma acc parallel loop tile<8,8> copy(m[n,64])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 64; j++)
            m[i][j] = 1;
    #pragma acc parallel loop copy(a[0:n,0:n])
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc update self(a[0;n])
    #pragma acc update self(a{0:n})
    #pragma acc update self(a[0:n];b[0:n])
    #pragma acc update self(a[0:n],)
    #pragma acc wait[1]
    #pragma acc : wait
    #pragma acc parallel loop reduction(.max.:s) copyin(readonly b[0:n])
    for (int i = 0; i < n; i++)
        s = b[i] > s ? b[i] : s;
    #pragma acc parallel loop reduction[+:s] gang | vector
    for (int i = 0; i < n; i++)
        s += a[i];
    #pragma acc parallel loop gang(static,8) copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 1;
    #pragma acc parallel loop create(zro: a[0:n]) copyin(read_only: b[0:n])
    for (int i = 0; i < n; i++)
        a[i] = b[i];
    #pragma acc parallel loop reduction(+:&s) copyin(a[0:n])
    for (int i = 0; i < n; i++)
        s += a[i];
    #pragma acc parallel loop reduction(+:n * 2)
    for (int i = 0; i < 9; i++)
        n += 1;
    #pragma acc parallel copyin(a[0:n])
    {
        #pragma acc loop reduction(+, s)
        for (int i = 0; i < n; i++)
            s += a[i];
    }
}
