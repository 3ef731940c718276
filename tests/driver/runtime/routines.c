// Every routine of chapter 3 in its edge cases; prints lines that differ from what is expected.
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int bad;
#define X(c) do { if (!(c)) { printf("line %d: %s\n", __LINE__, #c); bad = 1; } } while (0)
int main(void)
{
    int n = acc_get_num_devices(acc_device_nvidia), a[100], b[100];
    for (int i = 0; i < 100; i++) a[i] = i, b[i] = -1;
    X(acc_get_num_devices(acc_device_not_host) == n && acc_get_num_devices(acc_device_default) == n && acc_get_num_devices(acc_device_current) == n);
    X(acc_get_num_devices(acc_device_host) == 1 && acc_get_num_devices(acc_device_none) == 0 && acc_get_num_devices(acc_device_radeon) == 0 && acc_get_num_devices((acc_device_t)77) == 0);
    X(acc_get_device_num(acc_device_none) == -1 && acc_get_device_num(acc_device_radeon) == -1 && acc_get_device_num((acc_device_t)77) == -1);
    X(acc_get_device_num(acc_device_host) == 0 && acc_get_device_num(acc_device_current) == 0);
    X(acc_get_device_type() == acc_device_nvidia);
    acc_set_device_num(n - 1, acc_device_nvidia);
    X(acc_get_device_num(acc_device_current) == n - 1);
    acc_set_device_num(-1, acc_device_nvidia);
    X(acc_get_device_num(acc_device_current) == 0);
    acc_set_device_num(n - 1, acc_device_none);
    X(acc_get_device_num(acc_device_current) == n - 1);
    acc_set_device_type(acc_device_host);
    X(acc_get_device_type() == acc_device_host && acc_get_device_num(acc_device_nvidia) == n - 1 && acc_get_device_num(acc_device_current) == 0);
    X(acc_get_property(0, acc_device_current, acc_property_shared_memory_support) != 0);
    acc_init(acc_device_nvidia);
    X(acc_get_device_type() == acc_device_nvidia && acc_get_device_num(acc_device_current) == n - 1);
    acc_init_device(0, acc_device_nvidia);
    X(acc_get_device_num(acc_device_current) == 0);
    acc_init(acc_device_host);
    X(acc_get_device_type() == acc_device_host);
    acc_init(acc_device_not_host);
    X(acc_get_device_type() == acc_device_nvidia);
    /* properties */
    X(acc_get_property(99, acc_device_current, acc_property_memory) > 0);
    X(acc_get_property(n, acc_device_nvidia, acc_property_memory) == 0 && acc_get_property(-1, acc_device_nvidia, acc_property_memory) == 0);
    X(acc_get_property(0, acc_device_none, acc_property_memory) == 0 && acc_get_property(0, acc_device_radeon, acc_property_free_memory) == 0);
    X(acc_get_property(0, acc_device_nvidia, acc_property_name) == 0 && acc_get_property(0, acc_device_nvidia, (acc_device_property_t)99) == 0);
    X(acc_get_property_string(0, acc_device_nvidia, acc_property_free_memory) == NULL);
    X(acc_get_property(0, acc_device_host, acc_property_shared_memory_support) != 0 && acc_get_property(1, acc_device_host, acc_property_shared_memory_support) == 0);
    const char *first = acc_get_property_string(0, acc_device_nvidia, acc_property_name);
    const char *last = acc_get_property_string(n - 1, acc_device_nvidia, acc_property_name);
    char copy[300]; strcpy(copy, first);
    acc_get_property_string(n - 1, acc_device_nvidia, acc_property_driver);
    X(strcmp(copy, first) == 0 && (n == 1 || first != last));
    X(acc_get_property_string(0, acc_device_none, acc_property_name) == NULL && acc_get_property_string(99, acc_device_current, acc_property_vendor) != NULL);
    /* queues */
    X(acc_get_default_async() >= 0);
    int initial = acc_get_default_async();
    acc_set_default_async(5); X(acc_get_default_async() == 5);
    acc_set_default_async(acc_async_noval); X(acc_get_default_async() == 5);
    acc_set_default_async(acc_async_sync); X(acc_get_default_async() == acc_async_sync);
    acc_set_default_async(acc_async_default); X(acc_get_default_async() == initial);
    X(acc_wait_any(0, NULL) == -1);
    int sync[2] = {acc_async_sync, acc_async_sync}, q[3] = {acc_async_sync, 7, acc_async_noval};
    X(acc_wait_any(2, sync) == -1 && acc_wait_any(3, q) >= 1 && acc_wait_any_device(3, q, n - 1) >= 1);
    X(acc_async_test(3) && acc_async_test(acc_async_sync) && acc_async_test(acc_async_noval) && acc_async_test_all() && acc_async_test_all_device(n - 1) && acc_async_test_device(3, n - 1));
    acc_wait(acc_async_sync); acc_wait(acc_async_noval); acc_wait_device(2, n - 1); acc_async_wait(2); acc_async_wait_all(); acc_wait_all_device(n - 1);
    acc_wait_async(1, 2); acc_wait_async(acc_async_sync, 2); acc_wait_async(2, acc_async_sync); acc_wait_device_async(1, 2, n - 1); acc_wait_all_async(4); acc_wait_all_device_async(4, n - 1);
    X(acc_on_device(acc_device_host) && !acc_on_device(acc_device_not_host) && !acc_on_device(acc_device_nvidia));
    /* memory */
    X(acc_malloc(0) == NULL);
    acc_free(NULL);
    X(acc_malloc((size_t)1 << 60) == NULL);
    X(acc_copyin(NULL, 0) == NULL && acc_create(NULL, 0) == NULL);
    acc_copyout(NULL, 0); acc_delete(NULL, 0); acc_update_self(NULL, 0); acc_update_device(NULL, 0);
    X(acc_copyin(a, 0) == NULL && !acc_is_present(a, 0) && !acc_is_present(a, 1) && !acc_is_present(NULL, 0) && !acc_is_present(NULL, 5));
    acc_update_self(a, 0); acc_update_device(a, 0); acc_update_self_async(a, 0, 3);
    int *d = acc_copyin(a + 10, 50 * sizeof *a);
    X(d && acc_is_present(a + 10, 0) && acc_is_present(a + 59, 4) && !acc_is_present(a + 59, 5) && !acc_is_present(a + 60, 0) && !acc_is_present(a + 9, 0) && !acc_is_present(a + 9, 8) && !acc_is_present(a, (size_t)-1));
    X(acc_deviceptr(a + 12) == d + 2 && acc_deviceptr(a + 60) == NULL && acc_deviceptr(NULL) == NULL && acc_hostptr(NULL) == NULL && acc_hostptr(d + 49) == a + 59 && acc_hostptr(d + 50) == NULL && acc_hostptr(a) == NULL);
    X(acc_copyin(a + 20, 0) == d + 10); acc_delete(a + 20, 0); X(acc_is_present(a + 10, 200));
    X(acc_create(a + 20, 4) == d + 10 && acc_present_or_copyin(a + 20, 4) == d + 10);
    acc_delete(a + 30, 4); acc_copyout(a + 10, 8); X(acc_is_present(a + 10, 200));
    acc_copyout_finalize(a + 10, 200); X(!acc_is_present(a + 10, 1));
    acc_copyout(a, 400); acc_delete_finalize_async(a, 400, 2); acc_copyout_async(a, 400, acc_async_noval);
    /* zero bytes: nothing, whatever the pointers are */
    acc_memcpy_to_device(NULL, NULL, 0); acc_memcpy_from_device(NULL, NULL, 0); acc_memcpy_device(NULL, NULL, 0); acc_memcpy_d2d(NULL, NULL, 0, 0, 0);
    acc_memcpy_to_device_async(a, b, 0, 2);
    int *m = acc_malloc(400), *k = acc_malloc(400);
    acc_memcpy_device(m, m, 400);
    acc_memcpy_to_device(m, a, 400); acc_memcpy_device_async(k, m, 400, 3); acc_wait(3); acc_memcpy_from_device(b, k, 400);
    X(b[99] == 99);
    acc_map_data(b, m, 400); X(acc_deviceptr(b) == m && acc_hostptr(m + 3) == b + 3);
    acc_copyin(b, 400); acc_delete_finalize(b, 400); acc_delete(b, 400); acc_copyout(b, 400); X(acc_is_present(b, 400));
    acc_unmap_data(b); X(!acc_is_present(b, 1)); acc_free(m); acc_free(k);
    /* devices */
    for (int i = 0; i < 100; i++) b[i] = 0;
    acc_set_device_num(0, acc_device_nvidia); acc_copyin(a, 400);
    acc_set_device_num(n - 1, acc_device_nvidia); acc_copyin(b, 400); acc_copyin(a, 400);
    acc_memcpy_d2d(b, a, 400, n - 1, 0); acc_update_self(b, 400); X(b[99] == 99);
    acc_memcpy_d2d_async(b + 1, a + 50, 8, n - 1, 0, 3); acc_wait_device(3, 0); acc_update_self(b, 400); X(b[1] == 50 && b[2] == 51 && b[3] == 3);
    acc_memcpy_d2d(a, a, 400, 0, 0);
    /* shutdown ends all, structured ones too */
#pragma acc data copy(a) create(b)
    {
        acc_shutdown(acc_device_nvidia);
        X(!acc_is_present(a, 1) && !acc_is_present(b, 1));
        acc_set_device_num(0, acc_device_nvidia); X(!acc_is_present(a, 1));
        acc_set_device_num(n - 1, acc_device_nvidia);
        acc_copyin(a, 400); X(acc_is_present(a, 400));
    }
    X(acc_is_present(a, 400)); acc_delete(a, 400); X(!acc_is_present(a, 400));
    acc_init(acc_device_nvidia);
#pragma acc parallel loop copy(a)
    for (int i = 0; i < 100; i++) a[i] += 1;
    X(a[99] == 100);
    acc_shutdown_device(n - 1, acc_device_nvidia);
    /* attach */
    struct { int *p, *q; } s = {a, b}, t;
    acc_copyin(&s, sizeof s); acc_copyin(a, 400); acc_copyin(b, 400);
    acc_attach((void **)&s.p); acc_attach((void **)&s.p); acc_detach((void **)&s.p);
    acc_memcpy_from_device(&t, acc_deviceptr(&s), sizeof s); X(t.p == acc_deviceptr(a) && t.q == b);
    acc_delete(a, 400); acc_free(acc_malloc(1000)); void *hole = acc_malloc(256); acc_copyin(a, 400); acc_attach((void **)&s.p);
    acc_memcpy_from_device(&t, acc_deviceptr(&s), sizeof s); X(t.p == acc_deviceptr(a));
    acc_free(hole);
    s.p = b; acc_detach_finalize((void **)&s.p);
    acc_memcpy_from_device(&t, acc_deviceptr(&s), sizeof s); X(t.p == b);
    acc_attach_async((void **)&s.p, 4); s.p = NULL; acc_attach((void **)&s.p); acc_wait(4);
    acc_memcpy_from_device(&t, acc_deviceptr(&s), sizeof s); X(t.p == NULL);
    acc_detach((void **)&s.p); acc_detach_async((void **)&s.q, 4); acc_detach_finalize_async((void **)&s.q, 4);
    acc_attach((void **)&s.q); s.q = a; acc_copyout(&s, sizeof s); X(s.q == a);
    puts(bad ? "bad" : "good");
    return bad;
}
