// Host threads that enter and leave data, launch, wait and register callbacks at one time, on devices
// of their own and on one that all share.
#include <acc_callback.h>
#include <openacc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 8
#define N 600

static int shared[N], rounds = 40, devices;
static atomic_int events, wrong;
static int table[N];
#pragma acc declare copyin(table)

static void count(acc_callback_info *where, acc_event_info *event, acc_api_info *api)
{
    (void)where, (void)event, (void)api;
    atomic_fetch_add(&events, 1);
}

static void expect(int condition, const char *what)
{
    if (!condition && atomic_fetch_add(&wrong, 1) < 10)
        fprintf(stderr, "wrong: %s\n", what);
}

/* parts of one array overlap: each thread needs a part, all enter the whole */
static void overlapping(int t)
{
    int lower = t * N / (2 * THREADS), length = N / 2, sum = 0, serial = 0;
    #pragma acc enter data copyin(shared) async(t)
    #pragma acc parallel loop present(shared[lower:length]) reduction(+:sum) async(t)
    for (int i = lower; i < lower + length; i++)
        sum += shared[i];
    #pragma acc wait(t)
    #pragma acc exit data delete(shared)
    for (int i = lower; i < lower + length; i++)
        serial += shared[i];
    expect(sum == serial, "sum of a part");
}

static void own(int t, int round)
{
    int *data = malloc(N * sizeof *data), queue = t % 3;
    for (int i = 0; i < N; i++)
        data[i] = i + round;
    acc_copyin_async(data, N * sizeof *data, queue);
    #pragma acc parallel loop present(data[0:N]) async(queue)
    for (int i = 0; i < N; i++)
        data[i] += table[i] + t;
    acc_update_self_async(data, 100 * sizeof *data, queue);
    acc_wait_async(queue, queue + 10);
    acc_copyout_async(data, N * sizeof *data, queue + 10);
    if (round % 2)
        acc_wait_all();
    else
        acc_wait(queue + 10);
    for (int i = 0; i < N; i++)
        expect(data[i] == i + round + 3 * i + t, "own data");
    expect(!acc_is_present(data, 4), "own data is gone");
    free(data);
}

static void attached(void)
{
    struct { int *values; } holder = {shared};
    acc_copyin(&holder, sizeof holder);
    acc_copyin(shared, sizeof shared);
    acc_attach((void **)&holder.values);
    expect(acc_hostptr(acc_deviceptr(shared + 3)) == shared + 3, "addresses");
    acc_detach((void **)&holder.values);
    acc_delete(shared, sizeof shared);
    acc_delete(&holder, sizeof holder);
}

static void mapped(void)
{
    int host[16] = {0}, *memory = acc_malloc(sizeof host);
    acc_map_data(host, memory, sizeof host);
    acc_update_device(host, sizeof host);
    acc_memcpy_from_device(host, memory, sizeof host);
    acc_unmap_data(host);
    acc_free(memory);
}

static void crossing(int t)
{
    if (devices < 2)
        return;
    /* queues of two devices wait for each other in both directions */
    acc_wait_all_device_async(t % 4, (t + 1) % devices);
    acc_wait_device_async(t % 3, 20, (t + 1) % devices);
    expect(acc_wait_any(1, (int[]){t % 3}) == 0, "wait_any");
    expect(acc_async_test_all_device((t + 1) % devices) >= 0, "test");
}

static void *work(void *number)
{
    int t = (int)(long)number;
    acc_set_default_async(t);
    for (int round = 0; round < rounds; round++) {
        acc_set_device_num((t + (round % 4 == 0)) % devices, acc_device_nvidia);
        if (round % 8 == 1)
            acc_callback_register(acc_ev_enqueue_launch_end, count, acc_reg);
        overlapping(t);
        own(t, round);
        attached();
        mapped();
        crossing(t);
        if (round % 8 == 5)
            acc_callback_unregister(acc_ev_enqueue_launch_end, count, acc_reg);
        expect(strlen(acc_get_property_string(t % devices, acc_device_nvidia, acc_property_name)) > 0, "name");
        expect(acc_get_default_async() == t, "default queue");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    if (argc > 1)
        rounds = atoi(argv[1]);
    for (int i = 0; i < N; i++)
        shared[i] = i % 19, table[i] = 3 * i;
    devices = acc_get_num_devices(acc_device_nvidia);
    for (long t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, work, (void *)t);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    int left = 0;
    for (int d = 0; d < devices; d++) {
        acc_set_device_num(d, acc_device_nvidia);
        left += acc_is_present(shared, 4);
    }
    printf("%d wrong, %d left, %s\n", atomic_load(&wrong), left, atomic_load(&events) > 0 ? "told" : "silent");
    return wrong != 0;
}
