// SPDX-License-Identifier: 0BSD
//
// Linked right after the kernels: their sections end where these variables lie.
extern "C" {
char accrs_kernels_end_data[1] = {1};
char accrs_kernels_end_bss[1];
__thread char accrs_kernels_end_shared[1];
__attribute__((used, noinline)) void accrs_kernels_end_text() {}
}
