/* SPDX-License-Identifier: 0BSD */
/* The present table by accrs.h and openacc.h: counts, sections, updates, attach. No kernel. */
#include "accrs.h"
#include "openacc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed = 0;

#define EXPECT(condition)                                              \
    do {                                                               \
        if (!(condition)) {                                            \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);    \
            failed = 1;                                                \
        }                                                              \
    } while (0)

static void counts(void)
{
    int a[10], i;
    for (i = 0; i < 10; ++i)
        a[i] = i;
    accrs_begin("present.c", 1, "data");
    accrs_copy("a", a, 0, sizeof a);
    a[3] = 33;
    accrs_begin("present.c", 2, "data");
    accrs_copy("a", a, 0, sizeof a); /* present: no copy in, none out */
    accrs_end();
    EXPECT(a[3] == 33);
    accrs_at("present.c", 3, "enter data");
    accrs_enter_copyin("a", a, 0, sizeof a);
    accrs_end(); /* the dynamic count keeps it */
    EXPECT(a[3] == 33 && acc_is_present(a, sizeof a));
    accrs_at("present.c", 4, "exit data");
    accrs_exit_copyout("a", a, 0, sizeof a);
    EXPECT(a[3] == 3 && !acc_is_present(a, sizeof a));
    accrs_at("present.c", 5, "exit data");
    accrs_exit_delete("a", a, 0, sizeof a); /* absent: nothing happens */
    acc_copyin(a, sizeof a);
    acc_copyin(a, sizeof a);
    acc_delete(a, sizeof a);
    EXPECT(acc_is_present(a, sizeof a));
    acc_delete_finalize(a, sizeof a);
    EXPECT(!acc_is_present(a, sizeof a));
    accrs_begin("present.c", 6, "data");
    accrs_copyin("nothing", NULL, 0, 0);
    accrs_end();
}

static void sections(void)
{
    double a[100];
    int i;
    for (i = 0; i < 100; ++i)
        a[i] = i;
    accrs_begin("present.c", 10, "data");
    accrs_copyin("a", a, 10 * sizeof *a, 80 * sizeof *a);
    EXPECT(acc_is_present(a + 10, 80 * sizeof *a) && acc_is_present(a + 20, 8));
    EXPECT(!acc_is_present(a, sizeof a) && !acc_is_present(a + 80, 11 * sizeof *a));
    EXPECT(acc_hostptr(acc_deviceptr(a + 15)) == a + 15);
    /* the base lies before the section, and so does its address on the device */
    EXPECT((char *)accrs_use_device("a", a) + 10 * sizeof *a == (char *)acc_deviceptr(a + 10));
    a[20] = a[21] = -1;
    accrs_at("present.c", 11, "update");
    accrs_update_host("a", a, 20 * sizeof *a, sizeof *a);
    EXPECT(a[20] == 20 && a[21] == -1);
    accrs_at("present.c", 12, "update");
    accrs_if_present();
    accrs_update_host("b", &failed, 0, sizeof failed);
    accrs_end();
    EXPECT(acc_deviceptr(a + 15) == NULL);
}

/* update self(a[1:3][2:4][0:5]) of a[6][7][5], and a section whose inner dimension is not whole */
static void strided(int whole)
{
    int a[6][7][5], b[6][7][5], i, j, k;
    for (i = 0; i < 6 * 7 * 5; ++i)
        (&a[0][0][0])[i] = i;
    memcpy(b, a, sizeof a);
    accrs_begin("present.c", 20, "data");
    accrs_copyin("a", a, 0, sizeof a);
    memset(a, 0, sizeof a);
    accrs_at("present.c", 21, "update");
    accrs_dimension(1, 3, 6);
    accrs_dimension(2, 4, 7);
    accrs_dimension(whole ? 0 : 1, whole ? 5 : 3, 5);
    accrs_update_host_section("a", a, sizeof(int));
    accrs_end();
    for (i = 0; i < 6; ++i)
        for (j = 0; j < 7; ++j)
            for (k = 0; k < 5; ++k) {
                int in = i >= 1 && i < 4 && j >= 2 && j < 6 && (whole || (k >= 1 && k < 4));
                EXPECT(a[i][j][k] == (in ? b[i][j][k] : 0));
            }
}

static void attached(void)
{
    struct vector {
        int n;
        double *data;
    } v, back;
    double values[4] = {1, 2, 3, 4};
    v.n = 4;
    v.data = values;
    acc_copyin(&v, sizeof v);
    acc_copyin(values, sizeof values);
    acc_attach((void **)&v.data);
    acc_memcpy_from_device(&back, acc_deviceptr(&v), sizeof v);
    EXPECT(back.data == acc_deviceptr(values) && back.n == 4);
    accrs_at("present.c", 30, "update");
    accrs_update_host("v", &v, 0, sizeof v);
    EXPECT(v.data == values);
    v.n = 3;
    accrs_update_device("v", &v, 0, sizeof v);
    acc_memcpy_from_device(&back, acc_deviceptr(&v), sizeof v);
    EXPECT(back.data == acc_deviceptr(values) && back.n == 3);
    acc_detach((void **)&v.data);
    acc_memcpy_from_device(&back, acc_deviceptr(&v), sizeof v);
    EXPECT(back.data == values);
    acc_delete(values, sizeof values);
    acc_copyout(&v, sizeof v);
    EXPECT(v.data == values);
}

static void library(void)
{
    int a[4] = {1, 2, 3, 4}, b[4] = {0, 0, 0, 0};
    void *memory = acc_malloc(sizeof a);
    EXPECT(memory != NULL && acc_get_num_devices(acc_device_not_host) >= 1);
    acc_memcpy_to_device(memory, a, sizeof a);
    acc_map_data(b, memory, sizeof b);
    EXPECT(acc_deviceptr(b) == memory);
    acc_update_self(b, sizeof b);
    EXPECT(b[3] == 4);
    acc_unmap_data(b);
    EXPECT(!acc_is_present(b, sizeof b));
    acc_free(memory);
    acc_copyin_async(a, sizeof a, 3);
    acc_wait_async(3, 4);
    acc_wait(4);
    EXPECT(acc_async_test(3) && acc_async_test_all());
    acc_copyout_async(a, sizeof a, 3);
    acc_wait_all();
    EXPECT(acc_on_device(acc_device_host) && !acc_on_device(acc_device_nvidia));
    EXPECT(acc_get_property(0, acc_device_nvidia, acc_property_memory) > 0);
}

int main(void)
{
    counts();
    sections();
    strided(1);
    strided(0);
    attached();
    library();
    return failed;
}
