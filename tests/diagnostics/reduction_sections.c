// expect-error: A0402 A0409 A0402 A0402
struct state { double energy, parts[4]; };

static double used_whole(struct state s)
{
    return s.parts[1];
}

void f(int n, const int *keys, int *bins, int **rows, float *where)
{
    struct state s = {0};
    #pragma acc parallel loop copyin(keys[0:n]) reduction(+:rows[0:8][0:n])
    for (int i = 0; i < n; i++)
        rows[keys[i]][i]++;
    #pragma acc parallel loop copyin(keys[0:n]) reduction(|:where[0:8])
    for (int i = 0; i < n; i++)
        where[keys[i]]++;
    #pragma acc parallel loop copyin(where[0:n]) reduction(+:s.energy)
    for (int i = 0; i < n; i++)
        s.energy += used_whole(s) * where[i];
    #pragma acc parallel loop copyin(where[0:n]) reduction(+:s.parts[2])
    for (int i = 0; i < n; i++)
        s.parts[2] += where[i];
}
