// SPDX-License-Identifier: 0BSD
//
// One fault a run, named by the argument; run.sh compares the message and the status.
#include "accrs.h"
#include "accrs_device.hpp"
#include "openacc.h"

#include <cstring>

__global__ void ended_kernel()
{
    if (threadIdx.x < 10)
        return;
    __syncthreads();
}

__global__ void two_barriers_kernel()
{
    if (threadIdx.x % 2 == 0)
        __syncthreads();
    else
        __syncthreads();
}

__global__ void warp_and_barrier_kernel()
{
    if (threadIdx.x == 3)
        __syncthreads();
    else
        __syncwarp();
}

__global__ void empty_kernel() {}

#if ACCRS_EMULATED // nvcc refuses to compile it
static __constant__ unsigned char first_table[40000];
static __constant__ unsigned char second_table[40000];

static void fill_constant_memory()
{
    static unsigned char bytes[40000];
    accrs::check(cudaMemcpyToSymbol(first_table, bytes, sizeof bytes), "filling the first table");
    accrs::check(cudaMemcpyToSymbol(first_table, bytes, sizeof bytes), "filling it again");
    accrs::check(cudaMemcpyToSymbol(second_table, bytes, sizeof bytes), "filling the second table");
}
#else
static void fill_constant_memory() {}
#endif

static int values[10];

static void launch(const char *fault)
{
    const dim3 grid(4);
    const dim3 block(64);
    accrs_begin("fault.c", 7, "parallel loop");
    if (std::strcmp(fault, "constant") == 0)
        fill_constant_memory();
    else if (std::strcmp(fault, "ended") == 0)
        ended_kernel<<<grid, block, 0, accrs::stream()>>>();
    else if (std::strcmp(fault, "two") == 0)
        two_barriers_kernel<<<grid, block, 0, accrs::stream()>>>();
    else if (std::strcmp(fault, "warp") == 0)
        warp_and_barrier_kernel<<<grid, block, 0, accrs::stream()>>>();
    else if (std::strcmp(fault, "threads") == 0)
        empty_kernel<<<grid, 1025, 0, accrs::stream()>>>();
    else if (std::strcmp(fault, "shared") == 0)
        empty_kernel<<<grid, block, 49153, accrs::stream()>>>();
    accrs::launched("fault_kernel", grid, block, 0);
    accrs_end();
}

int main(int argc, char **argv)
{
    const char *fault = argc > 1 ? argv[1] : "";
    if (std::strcmp(fault, "absent") == 0) {
        accrs_begin("fault.c", 3, "parallel loop");
        accrs::device(values, "values");
    } else if (std::strcmp(fault, "implicit") == 0) {
        accrs_begin("fault.c", 3, "parallel loop");
        accrs_implicit("values", values);
    } else if (std::strcmp(fault, "partial") == 0) {
        accrs_begin("fault.c", 3, "data");
        accrs_copyin("values", values, 0, 5 * sizeof(int));
        accrs_begin("fault.c", 4, "data");
        accrs_copyin("values", values, 0, sizeof values);
    } else if (std::strcmp(fault, "update") == 0) {
        accrs_at("fault.c", 5, "update");
        accrs_update_host("values", values, 0, sizeof values);
    } else if (std::strcmp(fault, "null") == 0) {
        accrs_at("fault.c", 5, "enter data");
        accrs_enter_copyin("values", nullptr, 0, 4);
    } else if (std::strcmp(fault, "memory") == 0) {
        accrs_at("fault.c", 5, "enter data");
        accrs_enter_create("values", values, 0, std::size_t(1) << 44);
    } else if (std::strcmp(fault, "unmap") == 0) {
        acc_unmap_data(values);
    } else {
        launch(fault);
    }
    return 0;
}
