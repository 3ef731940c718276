// A handler of exit uses the device, after the end of main and after faults of many host threads at once.
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

#define N 1000

static int a[N], b[N];

static void at_the_end(void)
{
    int sum = 0;
    #pragma acc parallel loop reduction(+:sum) copy(b) async
    for (int i = 0; i < N; i++) {
        b[i] = i;
        sum += b[i];
    }
    acc_wait_all();
    printf("%d %d, device %d, queue %d\n", b[9], sum, acc_get_device_num(acc_device_current), acc_get_default_async());
}

int main(int count, char **arguments)
{
    (void)arguments;
    atexit(at_the_end);
    #pragma omp parallel num_threads(16)
    {
        acc_set_device_num(1, acc_device_nvidia);
        acc_set_default_async(4);
        if (count > 1) {
            #pragma acc update self(a)
        }
    }
    return 0;
}
