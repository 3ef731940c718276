// expect-error: A0407 A0407 A0407 A0407 A0407 A0407 A0407 A0407 A0407 A0301 A0408
// Sections beyond the array, the wrong way round, or with too few bounds.
int a[64], b[8][8], s;
void f(float x)
{
    #pragma hicuda global alloc a[0:64]
    #pragma hicuda global alloc a[-1:3]
    #pragma hicuda global alloc a[9:3]
    #pragma hicuda global alloc b[*]
    #pragma hicuda global alloc a[*][*]
    #pragma hicuda global alloc s[0:1]
    #pragma hicuda global alloc a[0:x]
    #pragma hicuda global alloc a[1.5]
    #pragma hicuda global alloc b[0:7][8]
    #pragma hicuda global alloc nothing[*]
    #pragma hicuda global alloc f
}
