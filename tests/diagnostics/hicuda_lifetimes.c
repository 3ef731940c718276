// expect-error: A0452 A0452 A0452 A0452 A0452 A0452 A0452 A0452 A0452 A0452 A0452 A0451 A0453 A0453
// Device memory that begins and ends out of order.
float a[64], b[64], c[64];
int n;

int lives(int m)
{
    #pragma hicuda global copyout a[*]
    #pragma hicuda global free a
    #pragma hicuda global alloc a[*]
    #pragma hicuda global alloc a[*]
    #pragma hicuda constant copyin a[*]
    if (m == 1)
        return 1;
    if (m == 2)
        goto out;
    for (int i = 0; i < m; i++) {
        #pragma hicuda global alloc b[*]
        if (i == 3)
            break;
        if (i == 4)
            continue;
        #pragma hicuda global free b
    }
    if (m > 5) {
        #pragma hicuda global free a
    }
    #pragma hicuda global alloc c[*] copyin
out:
    return 0;
}

float writes(void)
{
    float x = 0, own[4];
    #pragma hicuda constant copyin a[*]
    #pragma hicuda global alloc b[*]
    #pragma hicuda kernel k tblock(1) thread(64)
    int late = 3;
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++) {
        a[i] = i;
        b[i] = own[i % 4];
        x = i;
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free b
    #pragma hicuda constant remove a
    return x + late;
}
