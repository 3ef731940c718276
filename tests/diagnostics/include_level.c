// expect-error: A0109
#include "include_level.h"

int main(void)
{
    int a[7];
    fill(7, a);
    return a[3] != 4;
}
