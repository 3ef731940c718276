// expect-error: A0402
// All of an array whose length is computed.
void f(int n)
{
    float a[n];
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda kernel k tblock(1) thread(16)
    #pragma hicuda shared alloc a copyin
    #pragma hicuda barrier
    a[0] = a[1];
    #pragma hicuda barrier
    #pragma hicuda shared remove a
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
