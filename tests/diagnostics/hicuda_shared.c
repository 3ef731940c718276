// expect-error: A0452 A0434 A0452 A0407 A0418
// Shared memory that threads cannot share.
float a[64], b[64], c[64][64];

float reached(float x)
{
    return x;
}

void outside(void);

void shared(int n)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global alloc b[*]
    #pragma hicuda global alloc c[*][*] copyin
    #pragma hicuda kernel k tblock(2) thread(32)
    float t = 0;
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++) {
        #pragma hicuda shared alloc t
        #pragma hicuda shared alloc a[i]
        b[i] = a[i];
        #pragma hicuda shared alloc c[i][0:3] copyin c[i][0:4]
        #pragma hicuda barrier
        b[i] += c[i][0];
        #pragma hicuda shared remove a
    }
    outside();
    #pragma hicuda kernel_end
    #pragma hicuda global free a b c
}
