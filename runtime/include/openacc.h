/* SPDX-License-Identifier: 0BSD */
/* The runtime library of OpenACC 3.3 for C and C++, chapter 3. */
#ifndef OPENACC_H
#define OPENACC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum acc_device_t {
    acc_device_none = 0,
    acc_device_default = 1,
    acc_device_host = 2,
    acc_device_not_host = 4,
    acc_device_nvidia = 5,
    acc_device_radeon = 6, /* there is none */
    acc_device_current = 8
} acc_device_t;

typedef enum acc_device_property_t {
    acc_property_memory = 1,
    acc_property_free_memory = 2,
    acc_property_shared_memory_support = 3,
    acc_property_name = 0x10001,
    acc_property_vendor = 0x10002,
    acc_property_driver = 0x10003
} acc_device_property_t;

typedef int acc_async_t;
enum { acc_async_noval = -1, acc_async_sync = -2, acc_async_default = -3 };

/* 3.2.1 to 3.2.8: devices */
int acc_get_num_devices(acc_device_t type);
void acc_set_device_type(acc_device_t type);
acc_device_t acc_get_device_type(void);
void acc_set_device_num(int number, acc_device_t type);
int acc_get_device_num(acc_device_t type);
size_t acc_get_property(int number, acc_device_t type, acc_device_property_t property);
const char *acc_get_property_string(int number, acc_device_t type, acc_device_property_t property);
void acc_init(acc_device_t type);
void acc_init_device(int number, acc_device_t type);
void acc_shutdown(acc_device_t type);
void acc_shutdown_device(int number, acc_device_t type);

/* 3.2.9 to 3.2.15: queues */
int acc_async_test(int queue);
int acc_async_test_device(int queue, int number);
int acc_async_test_all(void);
int acc_async_test_all_device(int number);
void acc_wait(int queue);
void acc_wait_device(int queue, int number);
int acc_wait_any(int count, int queues[]); /* the index of one that is done, -1 if all are acc_async_sync */
int acc_wait_any_device(int count, int queues[], int number);
void acc_wait_async(int queue, int waiting);
void acc_wait_device_async(int queue, int waiting, int number);
void acc_wait_all(void);
void acc_wait_all_device(int number);
void acc_wait_all_async(int waiting);
void acc_wait_all_device_async(int waiting, int number);
int acc_get_default_async(void);
void acc_set_default_async(int queue);
/* the names of OpenACC 1.0 */
void acc_async_wait(int queue);
void acc_async_wait_all(void);

/* 3.2.16 */
int acc_on_device(acc_device_t type);

/* 3.2.17 to 3.2.36: memory and data */
void *acc_malloc(size_t bytes);
void acc_free(void *device);
void *acc_copyin(void *host, size_t bytes);
void *acc_present_or_copyin(void *host, size_t bytes);
void *acc_pcopyin(void *host, size_t bytes);
void acc_copyin_async(void *host, size_t bytes, int queue);
void *acc_create(void *host, size_t bytes);
void *acc_present_or_create(void *host, size_t bytes);
void *acc_pcreate(void *host, size_t bytes);
void acc_create_async(void *host, size_t bytes, int queue);
void acc_copyout(void *host, size_t bytes);
void acc_copyout_async(void *host, size_t bytes, int queue);
void acc_copyout_finalize(void *host, size_t bytes);
void acc_copyout_finalize_async(void *host, size_t bytes, int queue);
void acc_delete(void *host, size_t bytes);
void acc_delete_async(void *host, size_t bytes, int queue);
void acc_delete_finalize(void *host, size_t bytes);
void acc_delete_finalize_async(void *host, size_t bytes, int queue);
void acc_update_device(void *host, size_t bytes);
void acc_update_device_async(void *host, size_t bytes, int queue);
void acc_update_self(void *host, size_t bytes);
void acc_update_self_async(void *host, size_t bytes, int queue);
void acc_map_data(void *host, void *device, size_t bytes);
void acc_unmap_data(void *host);
void *acc_deviceptr(void *host);
void *acc_hostptr(void *device);
int acc_is_present(void *host, size_t bytes);
void acc_memcpy_to_device(void *device, void *host, size_t bytes);
void acc_memcpy_to_device_async(void *device, void *host, size_t bytes, int queue);
void acc_memcpy_from_device(void *host, void *device, size_t bytes);
void acc_memcpy_from_device_async(void *host, void *device, size_t bytes, int queue);
void acc_memcpy_device(void *to, void *from, size_t bytes);
void acc_memcpy_device_async(void *to, void *from, size_t bytes, int queue);
void acc_memcpy_d2d(void *to_host, void *from_host, size_t bytes, int to_number, int from_number);
void acc_memcpy_d2d_async(void *to_host, void *from_host, size_t bytes, int to_number, int from_number, int queue);
void acc_attach(void **pointer);
void acc_attach_async(void **pointer, int queue);
void acc_detach(void **pointer);
void acc_detach_async(void **pointer, int queue);
void acc_detach_finalize(void **pointer);
void acc_detach_finalize_async(void **pointer, int queue);

/* CUDA interoperability, as NVIDIA's and GCC's libraries have it */
void *acc_get_cuda_stream(int queue);

/* As NVIDIA's library has it: called with the message of an error before it ends the program; may end
   the program itself. The standard's own way is acc_ev_error of acc_callback.h. */
void acc_set_error_routine(void (*routine)(char *message));

#ifdef __cplusplus
}
#endif

/* Calls say where they are, for messages; addresses of the routines can be taken as ever. Who declares
   them once more defines ACCRS_PLAIN_CALLS before. */
#if !defined ACCRS_PLAIN_CALLS && !defined __cplusplus && defined __STDC_VERSION__ && __STDC_VERSION__ >= 199901L
void accrs_call(const char *file, int line, const char *routine, const char *argument, const char *function);
#define ACCRS_FIRST(first, ...) #first
#define ACCRS_AT(routine, ...) accrs_call(__FILE__, __LINE__, routine, ACCRS_FIRST(__VA_ARGS__, ), __func__)
#define acc_set_device_type(...) (ACCRS_AT("acc_set_device_type", __VA_ARGS__), acc_set_device_type(__VA_ARGS__))
#define acc_set_device_num(...) (ACCRS_AT("acc_set_device_num", __VA_ARGS__), acc_set_device_num(__VA_ARGS__))
#define acc_get_device_num(...) (ACCRS_AT("acc_get_device_num", __VA_ARGS__), acc_get_device_num(__VA_ARGS__))
#define acc_get_property(...) (ACCRS_AT("acc_get_property", __VA_ARGS__), acc_get_property(__VA_ARGS__))
#define acc_get_property_string(...) \
    (ACCRS_AT("acc_get_property_string", __VA_ARGS__), acc_get_property_string(__VA_ARGS__))
#define acc_init(...) (ACCRS_AT("acc_init", __VA_ARGS__), acc_init(__VA_ARGS__))
#define acc_init_device(...) (ACCRS_AT("acc_init_device", __VA_ARGS__), acc_init_device(__VA_ARGS__))
#define acc_shutdown(...) (ACCRS_AT("acc_shutdown", __VA_ARGS__), acc_shutdown(__VA_ARGS__))
#define acc_shutdown_device(...) (ACCRS_AT("acc_shutdown_device", __VA_ARGS__), acc_shutdown_device(__VA_ARGS__))
#define acc_async_test(...) (ACCRS_AT("acc_async_test", __VA_ARGS__), acc_async_test(__VA_ARGS__))
#define acc_async_test_device(...) \
    (ACCRS_AT("acc_async_test_device", __VA_ARGS__), acc_async_test_device(__VA_ARGS__))
#define acc_async_test_all_device(...) \
    (ACCRS_AT("acc_async_test_all_device", __VA_ARGS__), acc_async_test_all_device(__VA_ARGS__))
#define acc_wait(...) (ACCRS_AT("acc_wait", __VA_ARGS__), acc_wait(__VA_ARGS__))
#define acc_wait_device(...) (ACCRS_AT("acc_wait_device", __VA_ARGS__), acc_wait_device(__VA_ARGS__))
#define acc_async_wait(...) (ACCRS_AT("acc_async_wait", __VA_ARGS__), acc_async_wait(__VA_ARGS__))
#define acc_async_wait_all() (ACCRS_AT("acc_async_wait_all", ), acc_async_wait_all())
#define acc_wait_all() (ACCRS_AT("acc_wait_all", ), acc_wait_all())
#define acc_wait_any(...) (ACCRS_AT("acc_wait_any", __VA_ARGS__), acc_wait_any(__VA_ARGS__))
#define acc_wait_any_device(...) (ACCRS_AT("acc_wait_any_device", __VA_ARGS__), acc_wait_any_device(__VA_ARGS__))
#define acc_wait_async(...) (ACCRS_AT("acc_wait_async", __VA_ARGS__), acc_wait_async(__VA_ARGS__))
#define acc_wait_device_async(...) \
    (ACCRS_AT("acc_wait_device_async", __VA_ARGS__), acc_wait_device_async(__VA_ARGS__))
#define acc_wait_all_device(...) (ACCRS_AT("acc_wait_all_device", __VA_ARGS__), acc_wait_all_device(__VA_ARGS__))
#define acc_wait_all_async(...) (ACCRS_AT("acc_wait_all_async", __VA_ARGS__), acc_wait_all_async(__VA_ARGS__))
#define acc_wait_all_device_async(...) \
    (ACCRS_AT("acc_wait_all_device_async", __VA_ARGS__), acc_wait_all_device_async(__VA_ARGS__))
#define acc_set_default_async(...) \
    (ACCRS_AT("acc_set_default_async", __VA_ARGS__), acc_set_default_async(__VA_ARGS__))
#define acc_free(...) (ACCRS_AT("acc_free", __VA_ARGS__), acc_free(__VA_ARGS__))
#define acc_copyin(...) (ACCRS_AT("acc_copyin", __VA_ARGS__), acc_copyin(__VA_ARGS__))
#define acc_present_or_copyin(...) \
    (ACCRS_AT("acc_present_or_copyin", __VA_ARGS__), acc_present_or_copyin(__VA_ARGS__))
#define acc_pcopyin(...) (ACCRS_AT("acc_pcopyin", __VA_ARGS__), acc_pcopyin(__VA_ARGS__))
#define acc_copyin_async(...) (ACCRS_AT("acc_copyin_async", __VA_ARGS__), acc_copyin_async(__VA_ARGS__))
#define acc_create(...) (ACCRS_AT("acc_create", __VA_ARGS__), acc_create(__VA_ARGS__))
#define acc_present_or_create(...) \
    (ACCRS_AT("acc_present_or_create", __VA_ARGS__), acc_present_or_create(__VA_ARGS__))
#define acc_pcreate(...) (ACCRS_AT("acc_pcreate", __VA_ARGS__), acc_pcreate(__VA_ARGS__))
#define acc_create_async(...) (ACCRS_AT("acc_create_async", __VA_ARGS__), acc_create_async(__VA_ARGS__))
#define acc_copyout(...) (ACCRS_AT("acc_copyout", __VA_ARGS__), acc_copyout(__VA_ARGS__))
#define acc_copyout_async(...) (ACCRS_AT("acc_copyout_async", __VA_ARGS__), acc_copyout_async(__VA_ARGS__))
#define acc_copyout_finalize(...) (ACCRS_AT("acc_copyout_finalize", __VA_ARGS__), acc_copyout_finalize(__VA_ARGS__))
#define acc_copyout_finalize_async(...) \
    (ACCRS_AT("acc_copyout_finalize_async", __VA_ARGS__), acc_copyout_finalize_async(__VA_ARGS__))
#define acc_delete(...) (ACCRS_AT("acc_delete", __VA_ARGS__), acc_delete(__VA_ARGS__))
#define acc_delete_async(...) (ACCRS_AT("acc_delete_async", __VA_ARGS__), acc_delete_async(__VA_ARGS__))
#define acc_delete_finalize(...) (ACCRS_AT("acc_delete_finalize", __VA_ARGS__), acc_delete_finalize(__VA_ARGS__))
#define acc_delete_finalize_async(...) \
    (ACCRS_AT("acc_delete_finalize_async", __VA_ARGS__), acc_delete_finalize_async(__VA_ARGS__))
#define acc_update_device(...) (ACCRS_AT("acc_update_device", __VA_ARGS__), acc_update_device(__VA_ARGS__))
#define acc_update_device_async(...) \
    (ACCRS_AT("acc_update_device_async", __VA_ARGS__), acc_update_device_async(__VA_ARGS__))
#define acc_update_self(...) (ACCRS_AT("acc_update_self", __VA_ARGS__), acc_update_self(__VA_ARGS__))
#define acc_update_self_async(...) \
    (ACCRS_AT("acc_update_self_async", __VA_ARGS__), acc_update_self_async(__VA_ARGS__))
#define acc_map_data(...) (ACCRS_AT("acc_map_data", __VA_ARGS__), acc_map_data(__VA_ARGS__))
#define acc_unmap_data(...) (ACCRS_AT("acc_unmap_data", __VA_ARGS__), acc_unmap_data(__VA_ARGS__))
#define acc_memcpy_to_device(...) (ACCRS_AT("acc_memcpy_to_device", __VA_ARGS__), acc_memcpy_to_device(__VA_ARGS__))
#define acc_memcpy_to_device_async(...) \
    (ACCRS_AT("acc_memcpy_to_device_async", __VA_ARGS__), acc_memcpy_to_device_async(__VA_ARGS__))
#define acc_memcpy_from_device(...) \
    (ACCRS_AT("acc_memcpy_from_device", __VA_ARGS__), acc_memcpy_from_device(__VA_ARGS__))
#define acc_memcpy_from_device_async(...) \
    (ACCRS_AT("acc_memcpy_from_device_async", __VA_ARGS__), acc_memcpy_from_device_async(__VA_ARGS__))
#define acc_memcpy_device(...) (ACCRS_AT("acc_memcpy_device", __VA_ARGS__), acc_memcpy_device(__VA_ARGS__))
#define acc_memcpy_device_async(...) \
    (ACCRS_AT("acc_memcpy_device_async", __VA_ARGS__), acc_memcpy_device_async(__VA_ARGS__))
#define acc_memcpy_d2d(...) (ACCRS_AT("acc_memcpy_d2d", __VA_ARGS__), acc_memcpy_d2d(__VA_ARGS__))
#define acc_memcpy_d2d_async(...) (ACCRS_AT("acc_memcpy_d2d_async", __VA_ARGS__), acc_memcpy_d2d_async(__VA_ARGS__))
#define acc_attach(...) (ACCRS_AT("acc_attach", __VA_ARGS__), acc_attach(__VA_ARGS__))
#define acc_attach_async(...) (ACCRS_AT("acc_attach_async", __VA_ARGS__), acc_attach_async(__VA_ARGS__))
#define acc_detach(...) (ACCRS_AT("acc_detach", __VA_ARGS__), acc_detach(__VA_ARGS__))
#define acc_detach_async(...) (ACCRS_AT("acc_detach_async", __VA_ARGS__), acc_detach_async(__VA_ARGS__))
#define acc_detach_finalize(...) (ACCRS_AT("acc_detach_finalize", __VA_ARGS__), acc_detach_finalize(__VA_ARGS__))
#define acc_detach_finalize_async(...) \
    (ACCRS_AT("acc_detach_finalize_async", __VA_ARGS__), acc_detach_finalize_async(__VA_ARGS__))
#endif

#endif
