// expect-error: A0407 A0407 A0407 A0407 A0407 A0407 A0407 A0456 A0407 A0407 A0301 A0203 A0408 A0407 A0406 A0456 A0456 A0456 A0452 A0407
// Sections that are none.
struct point { float x, y; };
float a[8][7], s;
struct point p;

void sections(int n, float *q, float x, void *v)
{
    #pragma hicuda global alloc a[*][7]
    #pragma hicuda global alloc a[-1:3][*]
    #pragma hicuda global alloc a[4:8][4:6]
    #pragma hicuda global alloc a[5:3][*]
    #pragma hicuda global alloc a[*]
    #pragma hicuda global alloc a[*][*][*]
    #pragma hicuda global alloc s[0:1]
    #pragma hicuda global alloc q[*]
    #pragma hicuda global alloc q[x:3]
    #pragma hicuda global alloc v[0:n]
    #pragma hicuda global alloc unknown[*]
    #pragma hicuda global alloc p.x
    #pragma hicuda global alloc sections
    #pragma hicuda global alloc a[1:3][*] copyin a[0:3][*]
    #pragma hicuda global alloc a[*][*] copyin s
    #pragma hicuda shape s[3]
    #pragma hicuda shape q
    #pragma hicuda shape q[0:3]
    #pragma hicuda global alloc a[1:3][2:4]
    #pragma hicuda global copyout a[1:4][2:4]
    #pragma hicuda global free a
}
