// expect-error: A0203
// A member is no variable.
struct { int values[8]; } s;
void f(void)
{
    #pragma hicuda global alloc s.values[*]
}
