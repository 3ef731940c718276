// expect-error: A0434
struct held {
    int list[100];
};
void f(int n, int *restrict b, struct held *restrict h)
{
    #pragma acc parallel loop present(b, h)
    for (int i = 0; i < 99; i++) {
        #pragma acc cache(h->list[i:2])
        #pragma acc cache(n)
        b[i] = h->list[i] + h->list[i + 1];
    }
}
