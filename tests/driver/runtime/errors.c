// Each error condition that can occur: what a callback is told of it. A line says the fault, the code
// that the standard has for it, and the code that came.
#define _POSIX_C_SOURCE 200809L
#include <acc_callback.h>
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (100 * sizeof(int))

static const char *fault;
static acc_error_t expected;
static int a[100], b[100], minus = -1, queue = -7, none = 1000, zero = 0;
static int told;

static void first(acc_callback_info *where, acc_event_info *event, acc_api_info *api)
{
    (void)where, (void)event, (void)api;
    told = 1;
}

static void report(acc_callback_info *where, acc_event_info *event, acc_api_info *api)
{
    const acc_error_event_info *error = &event->error_event;
    if (error->error_code != expected || !told || where->event_type != acc_ev_error || where->version != _OPENACC ||
        error->event_type != acc_ev_error || error->valid_bytes != sizeof *error || error->implicit != 1 ||
        error->tool_info != NULL || error->error_message == NULL || where->src_file == NULL || where->line_no <= 0 ||
        api->valid_bytes != sizeof *api)
        printf("%s: expected %d, got %d: %s (%s:%d)\n", fault, (int)expected, (int)error->error_code, error->error_message,
               where->src_file ? where->src_file : "?", where->line_no);
    fflush(stdout);
}

static void never(acc_callback_info *where, acc_event_info *event, acc_api_info *api)
{
    (void)where, (void)event, (void)api;
    printf("%s: a callback that was removed is called\n", fault);
}

static int at_work(const char *name, acc_error_t code)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        fault = name, expected = code;
        return 1;
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 1)
        printf("%s: status %x\n", name, status);
    return 0;
}

#define FAULT(code, ...) \
    if (at_work(#__VA_ARGS__, code)) { \
        __VA_ARGS__; \
        printf("%s: no error\n", fault); \
        exit(1); \
    }

static void devices(void)
{
    FAULT(acc_error_device_type_unavailable, acc_set_device_type(acc_device_none))
    FAULT(acc_error_device_type_unavailable, acc_set_device_type(acc_device_radeon))
    FAULT(acc_error_device_type_unavailable, acc_set_device_num(0, acc_device_radeon))
    FAULT(acc_error_device_type_unavailable, acc_init(acc_device_radeon))
    FAULT(acc_error_device_type_unavailable, acc_shutdown(acc_device_none))
    FAULT(acc_error_device_unavailable, acc_set_device_num(none, acc_device_nvidia))
    FAULT(acc_error_device_unavailable, acc_set_device_num(1, acc_device_host))
    FAULT(acc_error_device_unavailable, acc_init_device(none, acc_device_nvidia))
    FAULT(acc_error_device_unavailable, acc_init_device(minus, acc_device_nvidia))
    FAULT(acc_error_device_unavailable, acc_shutdown_device(none, acc_device_nvidia))
    FAULT(acc_error_device_unavailable, acc_wait_device(1, none))
    FAULT(acc_error_device_unavailable, acc_wait_device(1, minus))
    FAULT(acc_error_device_unavailable, acc_wait_all_device(none))
    FAULT(acc_error_device_unavailable, acc_async_test_device(1, minus))
    FAULT(acc_error_device_unavailable, acc_async_test_all_device(none))
    FAULT(acc_error_device_unavailable, acc_wait_device_async(1, 2, minus))
    FAULT(acc_error_device_unavailable, acc_wait_all_device_async(1, none))
    FAULT(acc_error_device_unavailable, acc_wait_any_device(1, &zero, none))
    FAULT(acc_error_device_unavailable, acc_memcpy_d2d(a, b, BYTES, 0, none))
    FAULT(acc_error_device_unavailable, acc_memcpy_d2d(a, b, BYTES, minus, 0))
}

static void queues(void)
{
    FAULT(acc_error_invalid_async, acc_async_test(queue))
    FAULT(acc_error_invalid_async, acc_async_test_device(queue, 0))
    FAULT(acc_error_invalid_async, acc_wait(queue))
    FAULT(acc_error_invalid_async, acc_async_wait(queue))
    FAULT(acc_error_invalid_async, acc_wait_device(queue, 0))
    FAULT(acc_error_invalid_async, acc_wait_async(queue, 1))
    FAULT(acc_error_invalid_async, acc_wait_async(1, queue))
    FAULT(acc_error_invalid_async, acc_wait_device_async(1, queue, 0))
    FAULT(acc_error_invalid_async, acc_wait_all_async(queue))
    FAULT(acc_error_invalid_async, acc_wait_all_device_async(queue, 0))
    FAULT(acc_error_invalid_argument, acc_wait_any(minus, &zero))
    FAULT(acc_error_invalid_async, acc_wait_any(1, &queue))
    FAULT(acc_error_invalid_async, acc_wait_any_device(1, &queue, 0))
    FAULT(acc_error_invalid_async, acc_set_default_async(queue))
    FAULT(acc_error_invalid_async, acc_copyin_async(a, BYTES, queue))
    FAULT(acc_error_invalid_async, acc_create(a, BYTES); acc_create_async(a, BYTES, queue))
    FAULT(acc_error_invalid_async, acc_copyout_async(a, BYTES, queue))
    FAULT(acc_error_invalid_async, acc_copyout_finalize_async(a, BYTES, queue))
    FAULT(acc_error_invalid_async, acc_delete_async(a, BYTES, queue))
    FAULT(acc_error_invalid_async, acc_delete_finalize_async(a, BYTES, queue))
    FAULT(acc_error_invalid_async, acc_copyin(a, BYTES); acc_update_self_async(a, BYTES, queue))
    FAULT(acc_error_invalid_async, acc_update_device_async(a, 0, queue))
    FAULT(acc_error_invalid_async, acc_memcpy_to_device_async(a, a, 0, queue))
    FAULT(acc_error_invalid_async, acc_memcpy_from_device_async(a, a, 0, queue))
    FAULT(acc_error_invalid_async, acc_memcpy_device_async(a, a, 0, queue))
    FAULT(acc_error_invalid_async, acc_memcpy_d2d_async(a, a, 0, 0, 0, queue))
    FAULT(acc_error_invalid_async, acc_attach_async((void **)a, queue))
    FAULT(acc_error_invalid_async, acc_detach_async((void **)a, queue))
    FAULT(acc_error_invalid_async, acc_detach_finalize_async((void **)a, queue))
}

static void null_pointers(void)
{
    FAULT(acc_error_invalid_null_pointer, acc_copyin(NULL, 4))
    FAULT(acc_error_invalid_null_pointer, acc_create(NULL, 4))
    FAULT(acc_error_invalid_null_pointer, acc_copyout(NULL, 4))
    FAULT(acc_error_invalid_null_pointer, acc_delete(NULL, 4))
    FAULT(acc_error_invalid_null_pointer, acc_update_self(NULL, 4))
    FAULT(acc_error_invalid_null_pointer, acc_update_device(NULL, 4))
    FAULT(acc_error_invalid_null_pointer, acc_map_data(NULL, acc_malloc(4), 4))
    FAULT(acc_error_invalid_null_pointer, acc_map_data(a, NULL, 4))
    FAULT(acc_error_invalid_null_pointer, acc_unmap_data(NULL))
    FAULT(acc_error_invalid_null_pointer, acc_memcpy_to_device(NULL, a, 4))
    FAULT(acc_error_invalid_null_pointer, acc_memcpy_to_device(acc_malloc(4), NULL, 4))
    FAULT(acc_error_invalid_null_pointer, acc_memcpy_from_device(NULL, acc_malloc(4), 4))
    FAULT(acc_error_invalid_null_pointer, acc_memcpy_from_device(a, NULL, 4))
    FAULT(acc_error_invalid_null_pointer, acc_memcpy_device(acc_malloc(4), NULL, 4))
    FAULT(acc_error_invalid_null_pointer, acc_memcpy_device(NULL, NULL, 4))
    FAULT(acc_error_invalid_null_pointer, acc_memcpy_d2d(NULL, a, 4, 0, 0))
    FAULT(acc_error_invalid_null_pointer, acc_memcpy_d2d_async(a, NULL, 4, 0, 0, 1))
    FAULT(acc_error_invalid_null_pointer, acc_attach(NULL))
    FAULT(acc_error_invalid_null_pointer, acc_detach(NULL))
    FAULT(acc_error_invalid_null_pointer, acc_detach_finalize(NULL))
}

static void presence(void)
{
    FAULT(acc_error_partly_present, acc_copyin(a + 10, 40); acc_copyin(a, BYTES))
    FAULT(acc_error_partly_present, acc_copyin(a + 10, 40); acc_create(a + 10, 44))
    FAULT(acc_error_partly_present, acc_copyin(a + 10, 40); acc_copyout(a, BYTES))
    FAULT(acc_error_partly_present, acc_copyin(a + 10, 40); acc_delete(a, BYTES))
    FAULT(acc_error_partly_present, acc_copyin(a + 10, 40); acc_update_self(a, BYTES))
    FAULT(acc_error_partly_present, acc_copyin(a + 10, 40); acc_update_device(a, BYTES))
    FAULT(acc_error_partly_present, acc_copyin(b, BYTES); acc_copyin(a, 40); acc_memcpy_d2d(b, a, BYTES, 0, 0))
    FAULT(acc_error_not_present, acc_update_self(a, BYTES))
    FAULT(acc_error_not_present, acc_update_device(a, BYTES))
    FAULT(acc_error_not_present, acc_copyin(a, BYTES); acc_memcpy_d2d(b, a, BYTES, 0, 0))
    FAULT(acc_error_present, acc_copyin(a, BYTES); acc_map_data(a, acc_malloc(BYTES), BYTES))
    FAULT(acc_error_present, acc_copyin(a + 50, 4); acc_map_data(a, acc_malloc(BYTES), BYTES))
    FAULT(acc_error_invalid_argument, acc_map_data(a, acc_malloc(4), 0))
    FAULT(acc_error_out_of_memory, acc_create(a, (size_t)1 << 60))
    FAULT(acc_error_invalid_argument, acc_create(a, (size_t)minus))
    FAULT(acc_error_invalid_argument, acc_copyout(a, (size_t)minus))
    FAULT(acc_error_invalid_argument, acc_memcpy_to_device(acc_malloc(40), a, 44))
    FAULT(acc_error_invalid_argument, acc_memcpy_from_device(a, acc_malloc(40), 44))
    FAULT(acc_error_invalid_argument, acc_memcpy_device(acc_malloc(44), acc_malloc(40), 44))
    FAULT(acc_error_invalid_argument, acc_memcpy_to_device(a, b, 44))
    FAULT(acc_error_invalid_argument, acc_memcpy_from_device(acc_malloc(44), acc_malloc(44), 44))
    FAULT(acc_error_invalid_argument, acc_free(a))
    FAULT(acc_error_invalid_argument, acc_free((int *)acc_malloc(80) + 10))
    int *memory = acc_malloc(BYTES);
    FAULT(acc_error_invalid_argument, acc_map_data(a, memory + 10, 40); acc_free(memory))
    FAULT(acc_error_invalid_argument, acc_free(memory); acc_free(memory))
    FAULT(acc_error_invalid_argument, acc_unmap_data(a))
    FAULT(acc_error_invalid_argument, acc_map_data(a, memory, BYTES); acc_unmap_data(a + 1))
    FAULT(acc_error_invalid_argument, acc_map_data(a, memory, BYTES); acc_unmap_data(a); acc_unmap_data(a))
}

static void constructs(void)
{
    if (at_work("unmap in a region", acc_error_present)) {
        acc_map_data(a, acc_malloc(BYTES), BYTES);
        #pragma acc data present(a)
        acc_unmap_data(a);
    }
    if (at_work("absent", acc_error_not_present)) {
        #pragma acc data present(a)
        a[0] = 1;
    }
    if (at_work("partly", acc_error_partly_present)) {
        acc_copyin(a, 40);
        #pragma acc data no_create(a)
        a[0] = 1;
    }
    if (at_work("update", acc_error_not_present)) {
        #pragma acc update device(a)
    }
    if (at_work("negative length", acc_error_invalid_data_section)) {
        #pragma acc enter data copyin(a[10:minus])
    }
    if (at_work("negative update", acc_error_invalid_data_section)) {
        #pragma acc update self(a[10:minus])
    }
    if (at_work("exit data partly", acc_error_partly_present)) {
        #pragma acc enter data copyin(a[10:10])
        #pragma acc exit data delete(a[0:15])
    }
    if (at_work("too much", acc_error_out_of_memory)) {
        int *p = a;
        #pragma acc enter data create(p[0:(size_t)1 << 50])
    }
    if (at_work("async", acc_error_invalid_async)) {
        #pragma acc parallel loop async(queue) copy(a)
        for (int i = 0; i < 100; i++)
            a[i] = 1;
    }
    if (at_work("wait", acc_error_invalid_async)) {
        #pragma acc wait(queue)
    }
    if (at_work("wait async", acc_error_invalid_async)) {
        #pragma acc wait async(queue)
    }
    if (at_work("wait clause", acc_error_invalid_async)) {
        #pragma acc update self(a) if_present wait(queue)
    }
    if (at_work("default_async", acc_error_invalid_async)) {
        #pragma acc set default_async(queue)
    }
    if (at_work("devnum", acc_error_device_unavailable)) {
        #pragma acc wait(devnum: none: 1)
    }
    if (at_work("set", acc_error_device_unavailable)) {
        #pragma acc set device_num(none)
    }
    if (at_work("init", acc_error_device_unavailable)) {
        #pragma acc init device_num(minus)
    }
    if (at_work("shutdown", acc_error_device_unavailable)) {
        #pragma acc shutdown device_type(nvidia) device_num(none)
    }
    if (at_work("use_device", acc_error_not_present)) {
        #pragma acc host_data use_device(a)
        memset(a, 0, 4);
    }
    if (at_work("null", acc_error_invalid_null_pointer)) {
        int *p = NULL;
        #pragma acc enter data copyin(p[0:10])
    }
}

int main(void)
{
    acc_callback_register(acc_ev_error, never, acc_reg);
    acc_callback_register(acc_ev_error, first, acc_reg);
    acc_callback_register(acc_ev_error, report, acc_reg);
    acc_callback_unregister(acc_ev_error, never, acc_reg);
    pid_t parent = getpid();
    devices();
    queues();
    null_pointers();
    presence();
    constructs();
    if (getpid() != parent)
        printf("%s: no error\n", fault);
    else
        puts("all told");
    return 0;
}
