// expect-error: A0201
int f(int n)
{
    int m = n +;
    return m;
}
