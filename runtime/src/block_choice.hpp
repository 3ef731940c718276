// SPDX-License-Identifier: 0BSD
//
// How the size of a block is chosen where the program leaves it open.
#ifndef ACCRS_BLOCK_CHOICE_HPP
#define ACCRS_BLOCK_CHOICE_HPP

#include "../include/accrs/launch.hpp"

#include <vector>

namespace accrs {

// A size, and how many blocks of it a multiprocessor holds; none where one is too large.
struct BlockSize {
    dim3 block;
    int at_once = 0;
};

// What there is to choose from, the largest first, and on how many multiprocessors.
struct Blocks {
    std::vector<BlockSize> sizes;
    long long processors = 0;
};

unsigned threads_of(dim3 block);

// A block of half the threads, one at least: the last dimension that has several is halved, so that
// the threads of a warp stay the same ones.
dim3 half(dim3 block);

// The same number of threads, where there are too few iterations along x for them: those beyond take
// more along y.
dim3 shaped(dim3 block, long long nx, long long ny);

// The largest block and its halves, down to a warp.
std::vector<dim3> smaller_blocks(dim3 largest);

// The size that the most threads of a multiprocessor are busy with, the largest of equal ones. Where
// there are not enough iterations to fill all multiprocessors: the one that gives the busiest of them
// the fewest threads, so that as many take part as can.
dim3 choose_block(const Blocks &blocks, long long nx, long long ny, long long nz);

} // namespace accrs

#endif
