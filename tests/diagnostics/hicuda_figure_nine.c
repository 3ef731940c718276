// expect-error: A0407
// The paper's figure 9: row 8 of eight.
int A[8][7];
void f(void)
{
    #pragma hicuda global alloc A[*][1:6] copyin A[0:3][1:3]
    #pragma hicuda global copyout A[4:8][4:6]
    #pragma hicuda global free A
}
