// expect-error: A0203 A0203 A0203 A0203 A0406 A0203
// Brackets that are no section.
int a[64];
void f(void)
{
    #pragma hicuda global alloc a[0:]
    #pragma hicuda global alloc a[:3]
    #pragma hicuda global alloc a[]
    #pragma hicuda global alloc a[0:3:2]
    #pragma hicuda global alloc (a)
    #pragma hicuda global alloc a,
}
