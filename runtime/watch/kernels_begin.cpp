// SPDX-License-Identifier: 0BSD
//
// Linked right before the kernels: their sections begin where these variables lie.
extern "C" {
char accrs_kernels_begin_data[1] = {1};
char accrs_kernels_begin_bss[1];
__thread char accrs_kernels_begin_shared[1];
__attribute__((used, noinline)) void accrs_kernels_begin_text() {}
}
