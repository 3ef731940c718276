// expect-error: A0406 A0406 A0406 A0406 A0406 A0406 A0406 A0406 A0408 A0406
// Sizes are positive integers; both clauses have to be there.
int a[64];
void f(float x)
{
    #pragma hicuda kernel k1 tblock(1)
    #pragma hicuda kernel_end
    #pragma hicuda kernel k2 thread(64)
    #pragma hicuda kernel_end
    #pragma hicuda kernel k3 tblock(0) thread(64)
    #pragma hicuda kernel_end
    #pragma hicuda kernel k4 tblock(4) thread(16, -2)
    #pragma hicuda kernel_end
    #pragma hicuda kernel k5 tblock(4) thread(2.5)
    #pragma hicuda kernel_end
    #pragma hicuda kernel k6 tblock(x) thread(1)
    #pragma hicuda kernel_end
    #pragma hicuda kernel k7 tblock() thread(1)
    #pragma hicuda kernel_end
    #pragma hicuda kernel k8 tblock thread(1)
    #pragma hicuda kernel_end
    #pragma hicuda kernel k9 tblock(m) thread(1)
    #pragma hicuda kernel_end
    #pragma hicuda kernel k10 tblock(a) thread(1)
    #pragma hicuda kernel_end
}
