// expect-error: A0301 A0302 A0303 A0304 A0305 A0308
struct point {
    int x, y;
};

int g(int);

int f(struct point p)
{
    const int n = 3;
    int m = unknown + 1;
    m += p.z;
    m += n(4);
    m += g(1, 2);
    m = p * 2;
    n = m;
    return m;
}
