// expect-error: A0403
#include "in_a_header.h"

int main(void)
{
    int a[7];
    fill(7, a);
    return a[3] != 3;
}
