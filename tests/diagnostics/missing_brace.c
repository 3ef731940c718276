// expect-error: A0201
int f(int n)
{
    if (n > 3) {
        n = 4;
    return n;
}
