// SPDX-License-Identifier: 0BSD
//
// Kernels on sections with device memory of their own, as generated code launches them: figure 7 of
// the hiCUDA paper with both ways to address closed-up rows, scalars, data of OpenACC, and kernels that
// are not waited for.
#include "acc_callback.h"
#include "accrs.h"
#include "accrs_device.hpp"
#include "openacc.h"

#include <cstdio>
#include <cstring>

constexpr int n = 34; // B has the inner 32 x 32 elements

// Subscripts of the outermost dimension stay; the inner one's lower bound is subtracted.
__global__ void average_kernel(const float (*A)[n], float (*B)[n - 2])
{
    const int i = static_cast<int>(blockIdx.x) + 1, j = static_cast<int>(threadIdx.x) + 1;
    B[i][j - 1] = 0.25f * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);
}

// The whole array's elements by one subscript, which no type of a row is in the way of.
__global__ void copy_kernel(float (*A)[n], const float *B)
{
    const int i = static_cast<int>(blockIdx.x) + 1, j = static_cast<int>(threadIdx.x) + 1;
    A[i][j] = B[i * (n - 2) + j];
}

// Sections [2:5][1:3][4:8] of a, and of b with three dimensions as well, [0:3][1:3][4:8].
__global__ void solid_kernel(int (*a)[3][5], const int (*b)[3][5], const int *scale)
{
    const int i = static_cast<int>(blockIdx.x), j = static_cast<int>(threadIdx.y) + 1, k = static_cast<int>(threadIdx.x) + 4;
    a[i + 2][j - 1][k - 4] = *scale * b[i][j - 1][k - 4];
}

__global__ void add_kernel(int *values, int step)
{
    values[threadIdx.x] += step;
}

static int failures;
static int waits;
static int line_of_wait;

static void expect(bool is_true, int line)
{
    if (!is_true) {
        std::fprintf(stderr, "sections.cu:%d is not so\n", line);
        ++failures;
    }
}
#define EXPECT(condition) expect(condition, __LINE__)

static void at(const char *directive)
{
    accrs_at("sections.cu", 1, directive);
}

static void square(int lower, int length)
{
    accrs_dimension(lower, static_cast<accrs_size>(length), n);
    accrs_dimension(lower, static_cast<accrs_size>(length), n);
}

static void launch_average(const void *A, const void *B)
{
    const auto d_A = accrs::section<const float (*)[n]>(A, "A", {n});
    const auto d_B = accrs::section_rows<float (*)[n - 2]>(B, "B", {{1, n - 2}});
    average_kernel<<<n - 2, n - 2, 0, accrs::stream()>>>(d_A, d_B);
    accrs::launched("average_kernel", n - 2, n - 2, 0);
}

static void launch_copy(const void *A, const void *B)
{
    const auto d_A = accrs::section<float (*)[n]>(A, "A", {n});
    const auto d_B = accrs::section<const float *>(B, "B", {n - 2});
    copy_kernel<<<n - 2, n - 2, 0, accrs::stream()>>>(d_A, d_B);
    accrs::launched("copy_kernel", n - 2, n - 2, 0);
}

static void jacobi()
{
    static float A[n][n], B[n][n], expected[n][n], next[n][n];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            A[i][j] = expected[i][j] = static_cast<float>((i * 7 + j * 3) % 11);
    at("global alloc");
    square(0, n);
    accrs_section_alloc("A", A, sizeof(float));
    square(0, n);
    accrs_section_in("A", A, sizeof(float));
    at("global alloc");
    square(1, n - 2);
    accrs_section_alloc("B", B, sizeof(float));
    for (int round = 0; round < 10; ++round) {
        accrs_begin_kernel("sections.cu", 2, "kernel average");
        launch_average(A, B);
        accrs_end();
        accrs_begin_kernel("sections.cu", 3, "kernel copy");
        launch_copy(A, B);
        accrs_end();
        for (int i = 1; i < n - 1; ++i)
            for (int j = 1; j < n - 1; ++j)
                next[i][j] = 0.25f * (expected[i - 1][j] + expected[i + 1][j] + expected[i][j - 1] + expected[i][j + 1]);
        for (int i = 1; i < n - 1; ++i)
            for (int j = 1; j < n - 1; ++j)
                expected[i][j] = next[i][j];
    }
    at("global copyout");
    square(1, n - 2);
    accrs_section_out("A", A, sizeof(float));
    EXPECT(std::memcmp(A, expected, sizeof A) == 0);
    at("global free");
    accrs_section_free("A", A);
    accrs_section_free("B", B);
}

static void solids()
{
    static int a[6][5][9], b[4][5][9], scale = 3;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 5; ++j)
            for (int k = 0; k < 9; ++k)
                b[i][j][k] = 100 * i + 10 * j + k;
    const auto of_a = [] { accrs_dimension(2, 4, 6), accrs_dimension(1, 3, 5), accrs_dimension(4, 5, 9); };
    const auto of_b = [] { accrs_dimension(0, 4, 4), accrs_dimension(1, 3, 5), accrs_dimension(4, 5, 9); };
    at("global alloc");
    of_a(), accrs_section_alloc("a", a, sizeof(int));
    of_b(), accrs_section_alloc("b", b, sizeof(int));
    of_b(), accrs_section_in("b", b, sizeof(int));
    accrs_section_alloc("scale", &scale, sizeof scale);
    accrs_section_in("scale", &scale, sizeof scale);
    accrs_begin_kernel("sections.cu", 4, "kernel solid");
    solid_kernel<<<4, dim3(5, 3), 0, accrs::stream()>>>(accrs::section_rows<int (*)[3][5]>(a, "a", {{1, 3}, {4, 5}}),
                                                        accrs::section_rows<const int (*)[3][5]>(b, "b", {{1, 3}, {4, 5}}),
                                                        accrs::section<const int *>(&scale, "scale", {}));
    accrs::launched("solid_kernel", 4, dim3(5, 3), 0);
    accrs_end();
    at("global copyout");
    of_a(), accrs_section_out("a", a, sizeof(int));
    bool right = true;
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 5; ++j)
            for (int k = 0; k < 9; ++k)
                right = right && a[i][j][k] == (i >= 2 && j >= 1 && j < 4 && k >= 4 ? 3 * b[i - 2][j][k] : 0);
    EXPECT(right);
    // With every lower bound in it: element [0][0][0] would be before the memory.
    const auto whole = accrs::section<char *>(a, "a", {3, 5});
    const auto inner = accrs::section_rows<char *>(a, "a", {{1, 3}, {4, 5}});
    EXPECT(inner - whole == (1 * 5 + 4) * static_cast<int>(sizeof(int)));
    at("global free");
    accrs_section_free("a", a);
    accrs_section_free("b", b);
    accrs_section_free("scale", &scale);
}

static void launch_add(int *values)
{
    add_kernel<<<1, 3, 0, accrs::stream()>>>(accrs::section<int *>(values, "values", {}), 10);
    accrs::launched("add_kernel", 1, 3, 0);
}

// Kernels find data of OpenACC as well: of a directive, of a region, of acc_malloc; and no elements.
static void other_data()
{
    static int values[5] = {1, 2, 3, 4, 5};
    at("enter data");
    accrs_enter_copyin("values", values, 0, sizeof values);
    accrs_begin_kernel("sections.cu", 5, "kernel add");
    launch_add(values + 1);
    EXPECT(accrs::section<int(*)[5]>(values, "values", {5}) == acc_deviceptr(values));
    accrs_end();
    at("exit data");
    accrs_exit_copyout("values", values, 0, sizeof values);
    EXPECT(values[0] == 1 && values[1] == 12 && values[2] == 13 && values[3] == 14 && values[4] == 5);
    int *own = static_cast<int *>(acc_malloc(12));
    accrs_begin_kernel("sections.cu", 6, "kernel add");
    EXPECT(accrs::section<int *>(own, "own", {}) == own);
    accrs_end();
    acc_free(own);
    at("global alloc");
    accrs_dimension(0, 0, 5);
    accrs_section_alloc("values", values, sizeof(int));
    EXPECT(accrs::section<int *>(values, "values", {}) == nullptr);
    accrs_section_free("values", values);
    // Whole rows are found by the plain look-up as well.
    static int rows[4][3];
    at("global alloc");
    accrs_dimension(1, 2, 4);
    accrs_dimension(0, 3, 3);
    accrs_section_alloc("rows", rows, sizeof(int));
    EXPECT(accrs::section<int(*)[3]>(rows, "rows", {3}) == accrs::device(rows, "rows"));
    accrs_section_free("rows", rows);
}

// A region that runs on the host's data has that, whatever a section has on the device.
static void on_host_data()
{
    static int rows[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
    const auto inner = [] { accrs_dimension(0, 3, 3), accrs_dimension(1, 2, 4); };
    at("global alloc");
    inner(), accrs_section_alloc("rows", rows, sizeof(int));
    inner(), accrs_section_in("rows", rows, sizeof(int));
    accrs_begin_windows("sections.cu", 10, "parallel loop", 0);
    accrs_copy("rows", rows, 0, sizeof rows);
    add_kernel<<<1, 12, 0, accrs::stream()>>>(&accrs::device(rows, "rows")[0][0], 10);
    accrs::launched("add_kernel", 1, 12, 0);
    accrs_end();
    for (int i = 0; i < 12; ++i)
        EXPECT(rows[i / 4][i % 4] == i + 11);
    at("global copyout");
    inner(), accrs_section_out("rows", rows, sizeof(int));
    for (int i = 0; i < 12; ++i)
        EXPECT(rows[i / 4][i % 4] == (i % 4 == 1 || i % 4 == 2 ? i + 1 : i + 11));
    accrs_section_free("rows", rows);
}

// create(zero: ...) clears what nothing has written since it was allocated, and nothing else.
static void zeros_of_openacc()
{
    for (const bool copied : {false, true}) {
        int values[3] = {1, 2, 3};
        const auto whole = [] { accrs_dimension(0, 3, 3); };
        at("global alloc");
        whole(), accrs_section_alloc("values", values, sizeof(int));
        if (copied)
            whole(), accrs_section_in("values", values, sizeof(int));
        accrs_begin("sections.cu", 12, "data");
        accrs_zero();
        accrs_create("values", values, 0, sizeof values);
        accrs_end();
        at("global copyout");
        whole(), accrs_section_out("values", values, sizeof(int));
        for (int i = 0; i < 3; ++i)
            EXPECT(values[i] == (copied ? i + 1 : 0));
        accrs_section_free("values", values);
    }
}

static int constructs;

static void note_construct(acc_callback_info *info, acc_event_info *, acc_api_info *)
{
    constructs += info->event_type == acc_ev_compute_construct_start ? 1 : 10;
}

// For tools, a kernel is a compute construct.
static void constructs_of_tools()
{
    acc_callback_register(acc_ev_compute_construct_start, note_construct, acc_reg);
    acc_callback_register(acc_ev_compute_construct_end, note_construct, acc_reg);
    accrs_begin_kernel("sections.cu", 11, "kernel");
    EXPECT(constructs == 1);
    accrs_end();
    EXPECT(constructs == 11);
    acc_callback_unregister(acc_ev_compute_construct_start, note_construct, acc_reg);
    acc_callback_unregister(acc_ev_compute_construct_end, note_construct, acc_reg);
}

static void note_wait(acc_callback_info *info, acc_event_info *, acc_api_info *)
{
    ++waits;
    line_of_wait = info->line_no;
}

// Waits of the last `act`, each in the name of the kernel that is waited for.
template <class Act> static int waits_of(const Act &act)
{
    waits = line_of_wait = 0;
    act();
    EXPECT(waits == 0 || line_of_wait == 7);
    return waits;
}

static void not_waited_for()
{
    static int values[3] = {1, 2, 3};
    acc_callback_register(acc_ev_wait_start, note_wait, acc_reg);
    at("global alloc");
    accrs_dimension(0, 3, 3);
    accrs_section_alloc("values", values, sizeof(int));
    accrs_dimension(0, 3, 3);
    accrs_section_in("values", values, sizeof(int));
    const auto leave_running = [] {
        accrs_begin_kernel("sections.cu", 7, "kernel add nowait");
        accrs_nowait();
        launch_add(values);
        accrs_end();
    };
    EXPECT(waits_of(leave_running) == 0);
    EXPECT(waits_of(leave_running) == 1); // the second waits for the first
    const auto copy_out = [] {
        at("global copyout");
        accrs_dimension(0, 3, 3);
        accrs_section_out("values", values, sizeof(int));
    };
    EXPECT(waits_of(copy_out) == 1 && values[0] == 21 && values[2] == 23);
    EXPECT(waits_of(copy_out) == 0); // nothing is left to wait for
    leave_running();
    EXPECT(waits_of(accrs_settle) == 1 && waits_of(accrs_settle) == 0);
    leave_running();
    const auto leave_scope = [] {
        __attribute__((cleanup(accrs_settle_scope))) char scope = 0;
        EXPECT(scope == 0 && waits == 0);
    };
    EXPECT(waits_of(leave_scope) == 1);
    leave_running();
    EXPECT(waits_of([] { acc_update_self(values, sizeof values); }) == 0); // OpenACC has its own queues
    EXPECT(waits_of([] {
               at("global copyin");
               accrs_dimension(0, 3, 3);
               accrs_section_in("values", values, sizeof(int));
           }) == 1);
    leave_running();
    int other = 0;
    EXPECT(waits_of([&] { at("global alloc"), accrs_section_alloc("other", &other, sizeof other); }) == 1);
    leave_running();
    EXPECT(waits_of([&] { at("global free"), accrs_section_free("other", &other); }) == 1);
    accrs_begin("sections.cu", 8, "parallel"); // nor does a section wait for these
    accrs_async(1);
    launch_add(values);
    accrs_end();
    EXPECT(waits_of(accrs_settle) == 0);
    acc_wait(1);
    accrs_begin_kernel("sections.cu", 8, "kernel add"); // one that is waited for leaves nothing
    launch_add(values);
    accrs_end();
    EXPECT(waits_of([] { at("global free"), accrs_section_free("values", values); }) == 0);
    acc_callback_unregister(acc_ev_wait_start, note_wait, acc_reg);
}

// Kernels and sections are on a GPU where the host is the current device.
static void on_the_host()
{
    static int values[3] = {1, 2, 3};
    acc_set_device_type(acc_device_host);
    at("global alloc");
    accrs_dimension(0, 3, 3);
    accrs_section_alloc("values", values, sizeof(int));
    accrs_dimension(0, 3, 3);
    accrs_section_in("values", values, sizeof(int));
    accrs_begin_kernel("sections.cu", 9, "kernel add nowait");
    accrs_nowait();
    launch_add(values);
    accrs_end();
    EXPECT(acc_get_device_type() == acc_device_host && values[0] == 1);
    at("global copyout");
    accrs_dimension(0, 3, 3);
    accrs_section_out("values", values, sizeof(int));
    EXPECT(values[0] == 11 && values[1] == 12 && values[2] == 13);
    accrs_section_free("values", values);
    acc_set_device_type(acc_device_nvidia);
}

int main()
{
    jacobi();
    solids();
    other_data();
    not_waited_for();
    on_the_host();
    on_host_data();
    zeros_of_openacc();
    constructs_of_tools();
    return failures != 0;
}
