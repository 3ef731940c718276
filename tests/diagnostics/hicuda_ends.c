// expect-error: A0450 A0450 A0415
// Beginnings without ends, ends without beginnings, and kernels in kernels.
float a[64];

void ends(int n)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel k tblock(1) thread(1)
    if (n) {
        a[0] = 1;
        #pragma hicuda kernel_end
    }
    #pragma hicuda singular_end
    #pragma hicuda kernel outer tblock(1) thread(1)
    #pragma hicuda kernel inner tblock(1) thread(1)
    a[0] = 1;
    #pragma hicuda kernel_end
    #pragma hicuda singular
    a[1] = 1;
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}

#pragma hicuda barrier
