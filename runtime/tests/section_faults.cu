// SPDX-License-Identifier: 0BSD
//
// One fault a run with a section of an array, named by the argument; run.sh compares the message and
// the status. Each begins with a [8][7] array of which [0:7][1:6] is on the device.
#include "accrs.h"
#include "accrs_device.hpp"
#include "openacc.h"

#include <cstring>

static int A[8][7];
static int B[8][7];
static int C[8][7];
static accrs::Global<int[8][7]> global_C;

static void at(const char *directive)
{
    accrs_at("fault.c", 5, directive);
}

static void section(long first, long rows, long lower, long length, long extent = 7, long outermost = 8)
{
    accrs_dimension(first, static_cast<accrs_size>(rows), static_cast<accrs_size>(outermost));
    accrs_dimension(lower, static_cast<accrs_size>(length), static_cast<accrs_size>(extent));
}

static void alloc(const char *name, const void *base, std::size_t element = sizeof(int))
{
    accrs_section_alloc(name, base, element);
}

static void begin_kernel()
{
    accrs_begin_kernel("fault.c", 7, "kernel");
}

struct Fault {
    const char *name;
    void (*run)();
};

static const Fault faults[] = {
    // alloc
    {"negative", [] { section(0, 8, 1, -1), alloc("B", B); }},
    {"below", [] { section(0, 8, -1, 6), alloc("B", B); }},
    {"above", [] { section(0, 8, 2, 6), alloc("B", B); }},
    {"outermost", [] { section(4, 5, 1, 6), alloc("B", B); }},
    {"bytes", [] { section(0, 1l << 40, 0, 1l << 40, 1l << 40, 0), alloc("B", B); }},
    {"stride", [] { section(1l << 40, 1, 0, 1, 1l << 40, 0), alloc("B", B); }},
    {"addresses", [] { section(1l << 59, 1, 0, 1, 2, 0), alloc("B", reinterpret_cast<void *>(-8l)); }},
    {"null", [] { section(0, 8, 1, 6), alloc("B", nullptr); }},
    {"memory", [] { section(0, 1l << 36, 0, 64, 64, 0), alloc("B", reinterpret_cast<void *>(1l << 40), 1); }},
    {"device", [] { section(0, 8, 1, 6), alloc("B", acc_malloc(4)); }},
    {"twice", [] { section(0, 8, 1, 6), alloc("A", A); }},
    {"nothing_twice", [] { section(0, 0, 1, 6), alloc("B", B), section(0, 0, 1, 6), alloc("B", B); }},
    {"overlap", [] { section(0, 1, 0, 7), alloc("row", A[3]); }},
    {"interleaved", [] { accrs_dimension(0, 8, 0), accrs_dimension(0, 1, 7), alloc("column", &A[0][0] + 7); }},
    {"data", [] { acc_copyin(B, sizeof B), section(0, 8, 1, 6), alloc("B", B); }},
    {"functions", [] { accrs::reach(global_C, C), section(0, 8, 1, 6), alloc("C", C); }},
    {"reached", [] { section(0, 8, 0, 6), alloc("C", C), accrs::reach(global_C, C); }},
    // in, out
    {"in_absent", [] { section(0, 8, 1, 6), at("global copyin"), accrs_section_in("B", B, 4); }},
    {"out_absent", [] { at("global copyout"), accrs_section_out("B", &B, 4); }},
    {"out_null", [] { at("global copyout"), accrs_section_out("B", nullptr, 4); }},
    {"out_data", [] { acc_copyin(B, sizeof B), at("global copyout"), accrs_section_out("B", B, 4); }},
    {"out_before", [] { at("global copyout"), section(0, 8, 0, 2), accrs_section_out("A", A, 4); }},
    {"out_behind", [] { at("global copyout"), section(0, 8, 6, 1, 7), accrs_section_out("A", A, 4);
                        section(2, 7, 1, 1, 7, 0), accrs_section_out("A", A, 4); }},
    {"out_extent", [] { at("global copyout"), section(4, 5, 4, 3), accrs_section_out("A", A, 4); }},
    {"in_rows", [] { at("global copyin"), section(0, 8, 1, 6, 9), accrs_section_in("A", A, 4); }},
    {"in_element", [] { at("global copyin"), section(0, 8, 1, 6), accrs_section_in("A", A, 2); }},
    {"in_dimensions", [] { at("global copyin"), accrs_dimension(0, 8, 8), accrs_section_in("A", A, 4); }},
    // free
    {"free_absent", [] { at("global free"), accrs_section_free("B", B); }},
    {"free_twice", [] { at("global free"), accrs_section_free("A", A), accrs_section_free("A", A); }},
    {"free_null", [] { at("global free"), accrs_section_free("B", nullptr); }},
    {"free_data", [] { acc_copyin(B, sizeof B), at("global free"), accrs_section_free("B", B); }},
    {"free_within", [] { at("global free"), accrs_section_free("row", A[3]); }},
    {"free_region", [] { section(0, 8, 0, 7), alloc("B", B), accrs_begin("fault.c", 6, "data");
                         accrs_present("B", B, 0, sizeof B), at("global free"), accrs_section_free("B", B); }},
    // kernels
    {"kernel_absent", [] { begin_kernel(), accrs::section<int *>(B, "B", {6}); }},
    {"kernel_null", [] { begin_kernel(), accrs::section<int *>(nullptr, "B", {6}); }},
    {"kernel_rows", [] { begin_kernel(), accrs::section<int *>(A, "A", {7}); }},
    {"kernel_dimensions", [] { begin_kernel(), accrs::section<int *>(A, "A", {}); }},
    {"kernel_lower", [] { begin_kernel(), accrs::section_rows<int *>(A, "A", {{0, 6}}); }},
    {"kernel_length", [] { begin_kernel(), accrs::section_rows<int *>(A, "A", {{1, 5}}); }},
    {"kernel_data", [] { acc_copyin(B, sizeof B), begin_kernel(), accrs::section_rows<int *>(B, "B", {{1, 6}}); }},
    {"kernel_within", [] { begin_kernel(), accrs::section<int *>(A[3], "row", {}); }},
    {"kernel_plain", [] { begin_kernel(), accrs::device(A, "A"); }},
    {"kernel_range", [] { begin_kernel(), accrs::present_range(A, "A"); }},
    // OpenACC's directives and routines with rows closed up
    {"copyin", [] { accrs_begin("fault.c", 6, "data"), accrs_copyin("A", A, 4, 4); }},
    {"present", [] { accrs_begin("fault.c", 6, "data"), accrs_present("A", A, 4, 4); }},
    {"pointer", [] { accrs_begin("fault.c", 6, "data"), accrs_present_pointer("A", A); }},
    {"no_create", [] { accrs_begin("fault.c", 6, "data"), accrs_no_create("A", A, 4, 4); }},
    {"implicit", [] { accrs_begin("fault.c", 6, "parallel"), accrs_implicit("A", A); }},
    {"exit", [] { accrs_at("fault.c", 6, "exit data"), accrs_exit_copyout("A", A, 4, 4); }},
    {"update", [] { accrs_at("fault.c", 6, "update"), accrs_update_host("A", A, 4, 4); }},
    {"whole", [] { accrs_at("fault.c", 6, "update"), accrs_update_host("A", A, 0, sizeof A); }},
    {"attach", [] { static int *pointer = A[2]; acc_copyin(&pointer, sizeof pointer); accrs_at("fault.c", 6, "enter data");
                    accrs_enter_attach("pointer", &pointer); }},
    {"holder", [] { accrs_at("fault.c", 6, "enter data"), accrs_enter_attach("pointer", A[2]); }},
    {"read", [] { int value = 0; begin_kernel(), accrs_read("A", &A[2][3], &value, sizeof value); }},
    {"use_device", [] { accrs_begin("fault.c", 6, "host_data"), accrs_use_device("A", A); }},
    {"deviceptr", [] { acc_deviceptr(&A[2][3]); }},
    {"hostptr", [] { begin_kernel(); int *first = accrs::section_rows<int *>(A, "A", {{1, 6}}); accrs_end(), acc_hostptr(first); }},
    {"create", [] { acc_create(&A[2][3], 4); }},
    {"routine", [] { acc_update_self(&A[2][3], 4); }},
    {"between", [] { static int other; acc_copyin(&other, 4), acc_memcpy_d2d(&other, &A[2][3], 4, 0, 0); }},
    {"map", [] { acc_map_data(A[2], acc_malloc(4), 4); }},
};

int main(int argc, char **argv)
{
    accrs_at("fault.c", 3, "global alloc");
    section(0, 8, 1, 6);
    accrs_section_alloc("A", A, sizeof(int));
    for (const Fault &fault : faults)
        if (argc > 1 && std::strcmp(fault.name, argv[1]) == 0) {
            at("global alloc");
            fault.run();
            return 0;
        }
    return 2;
}
