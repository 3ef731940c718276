/*
 * Says where a compiler's compute regions run: `device` or `host`.
 */
#include <openacc.h>
#include <stdio.h>

int main(void)
{
    int on_host = 1;
    #pragma acc parallel copy(on_host)
    on_host = acc_on_device(acc_device_host);
    puts(on_host ? "host" : "device");
    return 0;
}
