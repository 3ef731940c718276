// expect-error: A0520
// Dimensions of threads that lie together, since the launch alone knows them, around shared memory.
float a[64][64];
void f(int n)
{
    #pragma hicuda global alloc a[*][*] copyin
    #pragma hicuda kernel k tblock(4, 4) thread(n, n)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++) {
        #pragma hicuda loop_partition over_tblock over_thread
        for (int j = 0; j < 64; j++) {
            #pragma hicuda shared alloc a[i][j] copyin
            #pragma hicuda barrier
            a[i][j] *= 2;
            #pragma hicuda shared copyout a[i][j]
            #pragma hicuda shared remove a
        }
    }
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
