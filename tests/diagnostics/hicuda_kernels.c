// expect-error: A0406 A0406 A0406 A0406 A0406 A0406 A0406 A0406 A0501 A0405
// Kernels that are not written as kernels are.
float a[64];

void sizes(int n, float x)
{
    #pragma hicuda global alloc a[*]
    #pragma hicuda kernel k1 thread(64)
    a[0] = 1;
    #pragma hicuda kernel_end
    #pragma hicuda kernel k2 tblock(1)
    a[0] = 1;
    #pragma hicuda kernel_end
    #pragma hicuda kernel tblock(1) thread(1)
    a[0] = 1;
    #pragma hicuda kernel_end
    #pragma hicuda kernel k3 k4 tblock(1) thread(1)
    a[0] = 1;
    #pragma hicuda kernel_end
    #pragma hicuda kernel k5 tblock(0) thread(1)
    a[0] = 1;
    #pragma hicuda kernel_end
    #pragma hicuda kernel k6 tblock(n, -2) thread(1)
    a[0] = 1;
    #pragma hicuda kernel_end
    #pragma hicuda kernel k7 tblock(x) thread(1)
    a[0] = 1;
    #pragma hicuda kernel_end
    #pragma hicuda kernel k8 tblock() thread(1)
    a[0] = 1;
    #pragma hicuda kernel_end
    #pragma hicuda kernel k9 tblock(1) thread(32, 33)
    a[0] = 1;
    #pragma hicuda kernel_end
    #pragma hicuda kernel same tblock(1) thread(1)
    a[0] = 1;
    #pragma hicuda kernel_end
    #pragma hicuda kernel same tblock(1) thread(1)
    a[1] = 1;
    #pragma hicuda kernel_end
    #pragma hicuda global free a
}
