// expect-error: A0401 A0401 A0401 A0401
// Words that are no directives.
void f(void)
{
    #pragma hicuda parallel
    #pragma hicuda kernal k tblock(1) thread(1)
    #pragma hicuda loop partition over_thread
    for (int i = 0; i < 8; i++)
        ;
    #pragma hicuda shred remove a
}
