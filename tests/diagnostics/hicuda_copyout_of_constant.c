// expect-error: A0404 A0452 A0406 A0416 A0416 A0406
// Constant memory is not written, so nothing comes back.
int a[64], b[64];
void f(void)
{
    #pragma hicuda constant copyin a[*]
    #pragma hicuda constant copyout a[*]
    #pragma hicuda global copyout a[*]
    #pragma hicuda constant remove a
    #pragma hicuda global alloc b[*] copyin a[*]
    #pragma hicuda global alloc b[*] copyin clear
    #pragma hicuda global alloc b[*] free b
    #pragma hicuda global alloc b[*] copyin(nobndcheck)
}
