// expect-error: A0455 A0455 A0455
// What all threads take part in, inside of `singular`.
int a[64], b[64];
void f(void)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda global alloc b[*] clear
    #pragma hicuda kernel k tblock(1) thread(64)
    #pragma hicuda singular
    #pragma hicuda loop_partition over_thread
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma hicuda singular_end
    #pragma hicuda singular
    a[0] = 1;
    #pragma hicuda barrier
    a[1] = 1;
    #pragma hicuda singular_end
    #pragma hicuda singular
    #pragma hicuda shared alloc b[0:15]
    a[2] = b[0];
    #pragma hicuda shared remove b
    #pragma hicuda singular_end
    #pragma hicuda kernel_end
    #pragma hicuda global free a b
}
