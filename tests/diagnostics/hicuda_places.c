// expect-error: A0415 A0415 A0415 A0415 A0415 A0415 A0415 A0455 A0455 A0455 A0454 A0452 A0452 A0457
// Directives where they cannot stand.
float a[64], b[64];

void places(int n)
{
    #pragma hicuda barrier
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda shared alloc a[0:3]
    #pragma hicuda shared remove a
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel k tblock(2) thread(32)
    #pragma hicuda global alloc b[*]
    #pragma hicuda global copyout a[*]
    #pragma hicuda global free b
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++) {
        #pragma hicuda singular
        #pragma hicuda barrier
        #pragma hicuda loop_partition over_thread
        for (int j = 0; j < 64; j++)
            a[j] = j;
        #pragma hicuda singular_end
    }
    #pragma hicuda shared copyout a[0:3]
    #pragma hicuda shared remove a
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}

void both(void)
{
    #pragma acc parallel loop
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda global alloc a[*]
    #pragma hicuda global free a
}
