// expect-error: A0204
// A partition at the end of a block.
int a[64];
void f(int n)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel k tblock(4) thread(16)
    {
        a[0] = 1;
        #pragma hicuda loop_partition over_thread
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
