// expect-error: A0603
struct part {
    int a;
};
void copy(void *, const void *, unsigned long);
void fetch(float *to, struct part *p)
{
    float a[8];
    #pragma acc data create(a)
    {
        #pragma acc host_data use_device(a)
        copy(to, a, p->a * sizeof a);
    }
}
