// expect-error: A0401 A0401 A0401 A0403 A0403 A0405 A0416 A0404 A0406 A0406 A0406 A0416 A0406 A0406 A0406 A0406 A0406
// Words that are nearly right, and words that belong elsewhere.
void f(int n, float *a)
{
    #pragma hicuda shape a[n]
    #pragma hicuda globl alloc a[*]
    #pragma hicuda Global alloc a[*]
    #pragma hicuda present a
    #pragma hicuda global allc a[*]
    #pragma hicuda global alloc a[*] copyn
    #pragma hicuda global alloc a[*] clear clear
    #pragma hicuda global alloc a[*] copyin clear
    #pragma hicuda global alloc a[*] nowait
    #pragma hicuda global copyin a[*]
    #pragma hicuda global
    #pragma hicuda global alloc
    #pragma hicuda global alloc a[*] free a
    #pragma hicuda global free a[*]
    #pragma hicuda global alloc a[*] copyin(nobndcheck) a[*]
    #pragma hicuda barrier a
    #pragma hicuda kernel_end now
    #pragma hicuda constant copyin
}
