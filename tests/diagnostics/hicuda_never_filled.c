// expect-error: A0406 A0406
// Memory that kernels do not write has to be filled.
int a[64], b[64];
void f(void)
{
    #pragma hicuda constant alloc a[*]
    #pragma hicuda texture alloc b[*]
    #pragma hicuda constant remove a
    #pragma hicuda texture remove b
}
