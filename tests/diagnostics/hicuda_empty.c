// expect-error: A0203
// A directive without words.
void f(void)
{
    #pragma hicuda
}
