// expect-error: A0104
void f(int n, int *a)
{
    a[0] = n; /* this comment has no end
}
