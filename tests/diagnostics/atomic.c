// expect-error: A0422 A0422 A0422 A0422 A0422 A0422 A0423 A0423 A0423 A0416 A0415
struct pair { int a, b; };
struct flags { unsigned on : 1; };

void f(int n, int *x, const int *a, struct pair *p, struct flags *q, double _Complex *z)
{
    int v, w;
    #pragma acc parallel loop copy(x[0:n], p[0:n], q[0:n], z[0:n]) copyin(a[0:n]) private(v, w)
    for (int i = 0; i < n; i++) {
        #pragma acc atomic update
        x[i] = x[i] + a[i] - 1;
        #pragma acc atomic read
        v += x[i];
        #pragma acc atomic write
        x[i]++;
        #pragma acc atomic capture
        { v = x[i]; x[i + 1] += a[i]; }
        #pragma acc atomic
        if (a[i] > 0)
            x[i]++;
        #pragma acc atomic update
        x[i] = x[i] < a[i];
        #pragma acc atomic write
        p[i] = p[0];
        #pragma acc atomic update
        q[i].on ^= 1;
        #pragma acc atomic update
        z[0] *= 2;
        #pragma acc atomic read capture
        v = x[i]++;
    }
}

void host(int *x)
{
    #pragma acc atomic update
    *x += 1;
}
