// expect-error: A0602
// GNU C's struct without members has no bytes, and C++'s one.
struct options {
#ifdef WITH_OPTIONS
    int level;
#endif
};
struct particle {
    float x;
    struct options o;
    float y;
};

void move(int n, struct particle *p)
{
    #pragma acc parallel loop copy(p[0:n])
    for (int i = 0; i < n; i++)
        p[i].x += p[i].y;
}
