/* Runs the kernel of mesi_cuda.cu. */
#include "matrices.h"

void mesi_cuda_launch(double (*a)[128], double (*b)[32], double (*c)[32]);

static void product(void)
{
#pragma acc data copyin(a, b) copyout(c)
    mesi_cuda_launch(a, b, c);
}

int main(int count, char **arguments)
{
    return compare(count > 1 ? arguments[1] : "", product);
}
