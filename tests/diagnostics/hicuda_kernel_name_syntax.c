// expect-error: A0203 A0203 A0203 A0406
// Names that are no identifiers.
void f(void)
{
    #pragma hicuda kernel 2k tblock(1) thread(64)
    #pragma hicuda kernel_end
    #pragma hicuda kernel a-b tblock(1) thread(64)
    #pragma hicuda kernel_end
    #pragma hicuda kernel "k" tblock(1) thread(64)
    #pragma hicuda kernel_end
    #pragma hicuda kernel int tblock(1) thread(64)
    #pragma hicuda kernel_end
}
