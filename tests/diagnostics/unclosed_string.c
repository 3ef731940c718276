// expect-error: A0104
const char *f(void)
{
    return "a string without an end;
}
