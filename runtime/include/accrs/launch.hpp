// SPDX-License-Identifier: 0BSD
//
// What launchers call: device addresses of host pointers, launch shapes, the queue's stream, the
// end of a launch. The functions without a body here are in src/launch.cpp.
#ifndef ACCRS_LAUNCH_HPP
#define ACCRS_LAUNCH_HPP

#include "cuda.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>

namespace accrs {

// What the present table knows about a host pointer, in bytes from the pointer. Both are 0 if
// nothing of it is present.
struct ByteRange {
    std::ptrdiff_t begin;
    std::ptrdiff_t end;
};

// Elements that are present, counted from a pointer, from `begin` up to, not including, `end`. Of
// a pointer to arrays it counts their elements, so that part of a row can be present.
struct Range {
    std::ptrdiff_t begin;
    std::ptrdiff_t end;
};

// Those of them that an index of this type can be, from the first to the last.
template <class Index> struct RangeOf {
    Index first = 0;
    Index last = -1;

    RangeOf(Range range)
    {
        constexpr std::ptrdiff_t least = std::numeric_limits<Index>::min();
        constexpr std::ptrdiff_t most = std::numeric_limits<Index>::max();
        if (range.begin >= range.end || range.begin > most || range.end <= least)
            return;
        first = static_cast<Index>(range.begin < least ? least : range.begin);
        last = static_cast<Index>(range.end - 1 > most ? most : range.end - 1);
    }
};

// The same of an array whose outermost index finds rows of so many elements.
struct PresentRows : Range {
    std::ptrdiff_t length;

    bool are_whole() const
    {
        return begin >= end || (length > 0 && begin % length == 0 && end % length == 0);
    }

    // Whether the first so many rows are what is present, and no more.
    bool are_first(std::ptrdiff_t rows) const
    {
        return rows >= 0 && begin == 0 && end == rows * length;
    }
};

// Which of such rows are present, from the first to the last: whole ones alone.
template <class Index> struct RowsOf {
    RangeOf<Index> rows;

    RowsOf(PresentRows present)
        : rows(present.begin < present.end ? Range{present.begin / present.length, present.end / present.length} : Range{0, 0})
    {
    }

    // Whether an element is, by its outermost subscript or by its place. The inner subscripts are within their lengths.
    template <class Row> __host__ __device__ bool has(Row row, Index) const
    {
        using Signed = std::conditional_t<std::is_signed<Row>::value && (sizeof(Row) <= sizeof(int)), int, long>;
        const auto index = static_cast<Signed>(row);
        return index >= rows.first && index <= rows.last;
    }

    // The same where the first `count` rows are what is present.
    template <class Row> __host__ __device__ bool has(Row row, Row count, Index) const
    {
        return row >= 0 && row < count;
    }
};

// For arrays of any size, and parts of rows.
template <> struct RowsOf<long> {
    RangeOf<long> elements;

    RowsOf(PresentRows present) : elements(present)
    {
    }

    template <class Row> __host__ __device__ bool has(Row, long place) const
    {
        return place >= elements.first && place <= elements.last;
    }

    template <class Row> __host__ __device__ bool has(Row, Row, long place) const
    {
        return place >= elements.first && place <= elements.last;
    }
};

void *device_address(const volatile void *host, const char *name);
bool find_device_address(const volatile void *host, std::size_t bytes, void **device, const char *name);
ByteRange present_bytes(const volatile void *host, const char *name);
// False: it is device memory of which it is not known where it ends.
bool find_present_bytes(const volatile void *host, const char *name, ByteRange &found);
ByteRange row_bytes(const volatile void *host, std::size_t level, const char *name);

// The address on the device of what `host` points to; NULL stays NULL. Absent data ends the
// program with an error that names the variable and the region.
template <class T> T *device(T *host, const char *name)
{
    return static_cast<T *>(
        device_address(const_cast<const volatile void *>(static_cast<const volatile void *>(host)), name));
}

// What a kernel was made for in an inner dimension of an array: the section [lower : lower + length - 1].
struct SectionRow {
    std::ptrdiff_t lower;
    std::size_t length;
};

std::uintptr_t section_address(const volatile void *base, const char *name, std::initializer_list<std::size_t> rows);
std::uintptr_t section_address(const volatile void *base, const char *name, std::initializer_list<SectionRow> rows);

// Of an array of which accrs_section_alloc has a section on the device, with rows closed up: where
// element [0]...[0] of the whole array would be if its rows had these lengths, those of the section's
// inner dimensions, outermost first. Subscripts of the host lead to elements from there, but where a
// lower bound of an inner dimension is not 0 they may be as large as the type of the row says, or
// larger, and compilers take them for what cannot be: see section_rows.
template <class Pointer>
Pointer section(const volatile void *base, const char *name, std::initializer_list<std::size_t> rows)
{
    return reinterpret_cast<Pointer>(section_address(base, name, rows));
}

// The same for kernels that subtract the lower bounds of the inner dimensions, which they were made
// for as well, from their subscripts: a[i][j - 1] for a section [*][1:6]. The outermost one stays as
// it is.
template <class Pointer>
Pointer section_rows(const volatile void *base, const char *name, std::initializer_list<SectionRow> rows)
{
    return reinterpret_cast<Pointer>(section_address(base, name, rows));
}

// The elements that lie wholly within some bytes, counted from the same place.
inline Range whole_elements(ByteRange bytes, std::size_t size)
{
    const auto element = static_cast<std::ptrdiff_t>(size);
    const auto begin = bytes.begin > 0 ? (bytes.begin + element - 1) / element : bytes.begin / element;
    const auto end = bytes.end < 0 ? (bytes.end - element + 1) / element : bytes.end / element;
    return {begin, end};
}

// What of an array is present. Of device memory that acc_malloc gave, or that is the copy of host
// data, it is all; other device memory ends the program with an error that names the variable.
template <class T> Range present_range(const T *pointer, const char *name)
{
    return whole_elements(present_bytes(pointer, name), sizeof(std::remove_all_extents_t<T>));
}

// The same in rows, of which the outermost have so many of what the pointer points to.
template <class T> PresentRows present_rows(const T *pointer, const char *name, std::initializer_list<long> lengths)
{
    std::ptrdiff_t row = sizeof(T) / sizeof(std::remove_all_extents_t<T>);
    for (const long length : lengths)
        row *= length;
    return {present_range(pointer, name), row};
}

// The elements that `level` pointers lead to: those of T *, of what T's elements point to, ...
template <std::size_t level, class T> struct Behind {
    using type = typename Behind<level - 1, std::remove_pointer_t<std::remove_all_extents_t<T>>>::type;
};
template <class T> struct Behind<0, T> {
    using type = std::remove_all_extents_t<T>;
};

// Of rows behind pointers, which the data clauses of the open regions bring: at level 0 the
// pointers, from there on the elements of each row. What no clause brings ends the program.
template <std::size_t level, class T> Range row_range(const T *pointers, const char *name)
{
    return whole_elements(row_bytes(pointers, level, name), sizeof(typename Behind<level, T>::type));
}

// Every row of run-time length that an element of an array lies in begins at most a row before it, so
// that addresses counted in elements are where `present` is, but for a row; the first one is at 0.
// Whether no two of these are too far apart for an int. Subscripts lead through no other ones, but
// for constants of at most int_slack.
bool int_elements(Range present, std::initializer_list<long> rows);

// The same of what is present of an array with rows of these lengths, outermost first. Of device memory
// of which it is not known where it ends: false. Checks see indices as they are, also such as are wrong.
template <class T> bool int_elements(const T *pointer, const char *name, std::initializer_list<long> rows)
{
    ByteRange found{};
    if (ACCRS_SEES_INDICES || !find_present_bytes(pointer, name, found))
        return false;
    // Of what is NULL nothing is present, and nothing used.
    if (found.begin == found.end)
        return pointer == nullptr;
    return int_elements(whole_elements(found, sizeof(T)), rows);
}

// trips_up, trips_through and so on of a loop in an int that threads step through in its variable, where they begin
// at values of iterations, or near 0. End the program where a grid of steps beyond the bound would not be ints.
long long int_trips_up(long long lower, long long bound, long long step);
long long int_trips_through(long long lower, long long bound, long long step);
long long int_trips_down(long long lower, long long bound, long long step);
long long int_trips_down_through(long long lower, long long bound, long long step);

// Ends the program where an int that strides by a block's threads up to this bound could wrap.
void int_bound(long long bound);

// The same of one that strides by the blocks of a grid that the program asks for, and their threads.
void int_bound(long long bound, dim3 grid, dim3 block);

// Whether the numbers of a loop's iterations, and one more grid of them, are ints: grids are no longer,
// nor are a few steps of so many gangs, of which gangs() gives at most 2^21.
bool int_trips(long long trips);

// The same of all loops of a nest together, of which none may have an iteration.
template <class... Inner> bool int_trips(long long outer, long long next, Inner... inner)
{
    return int_trips(outer) && int_trips(next) && (outer < 1 || next < 1 || int_trips(outer * next, inner...));
}

// The same, and the values of a variable that counts from `first` on, where each thread runs one iteration.
bool int_values(long long first, long long trips);

// One of the instances of a kernel, to be asked about.
template <class First, class Second> const void *either(bool is_first, First *first, Second *second)
{
    return is_first ? reinterpret_cast<const void *>(first) : reinterpret_cast<const void *>(second);
}

// The shared memory that serves regions whose windows are never open together.
constexpr std::size_t largest(std::size_t only)
{
    return only;
}

template <class... Rest> constexpr std::size_t largest(std::size_t first, Rest... rest)
{
    const std::size_t other = largest(static_cast<std::size_t>(rest)...);
    return first > other ? first : other;
}

// Whether two ranges of host memory share no byte.
inline bool disjoint(const volatile void *a, std::size_t a_bytes, const volatile void *b, std::size_t b_bytes)
{
    const auto a_start = reinterpret_cast<std::size_t>(a);
    const auto b_start = reinterpret_cast<std::size_t>(b);
    return a_start + a_bytes <= b_start || b_start + b_bytes <= a_start;
}

// A user's num_gangs where the flat scheme spreads it over the dimensions of the grid.
struct Gangs {
    long long count;
};

// Whether what two host pointers stand for on the device shares no byte, as far as the present
// table and the region's clauses tell; false where they cannot.
bool disjoint(const volatile void *a, const volatile void *b);

// Blocks for the given numbers of iterations, x first, at least one. A kernel strides over its
// iterations by the whole grid, so the caps (int indices stay below 2^31, 65535 blocks in y and
// z) cost no iteration.
dim3 grid(dim3 block, long long nx, long long ny = 1, long long nz = 1);
dim3 grid(dim3 block, Gangs at_most, long long nx, long long ny = 1, long long nz = 1);

// The same for kernels whose loops have 64-bit indices; grid() ends the program with an error where
// the extents are too long for int ones.
dim3 wide_grid(dim3 block, long long nx, long long ny = 1, long long nz = 1);
dim3 wide_grid(dim3 block, Gangs at_most, long long nx, long long ny = 1, long long nz = 1);

// The same for kernels whose loops do not stride: a thread for each iteration along x, and along y, unless
// there are iterations along z as well, along which and y such loops stride. The blocks that
// CUDA does not have along y lie along z (block_y). Too many blocks end the program with an error.
dim3 covering_grid(dim3 block, long long nx, long long ny = 1);
dim3 covering_grid(dim3 block, long long nx, long long ny, long long nz);
dim3 wide_covering_grid(dim3 block, long long nx, long long ny = 1);
dim3 wide_covering_grid(dim3 block, long long nx, long long ny, long long nz);

// The same for loops in unsigned variables; ends the program where the last block's would wrap.
dim3 unsigned_covering_grid(dim3 block, long long nx, long long ny = 1);
dim3 unsigned_covering_grid(dim3 block, long long nx, long long ny, long long nz);

// A block for each iteration, likewise.
dim3 covering_gangs(long long nx, long long ny = 1);
dim3 covering_gangs(long long nx, long long ny, long long nz);

// `count` blocks along x, so few that numbers of threads are ints; what is below 1 counts as 1.
dim3 gangs(long long count);

// So many for the given numbers of iterations of loops over gangs, x first; y and z have at most 65535.
// Ends the program where the numbers are too many for int indices; the wide one is for kernels with 64-bit ones.
dim3 gang_grid(long long nx, long long ny = 1, long long nz = 1);
dim3 wide_gang_grid(long long nx, long long ny = 1, long long nz = 1);

// Along x a block for so many of these iterations as it has rows, which share them.
dim3 worker_grid(dim3 block, long long count);
dim3 wide_worker_grid(dim3 block, long long count);

// A block of worker rows that sync_worker and reduce_vector can serve: rows divide a warp or are
// whole warps, at most 1024 threads, at most 15 rows where a row is more than one warp (named
// barriers 1 to 15; barrier 0 is __syncthreads).
dim3 worker_block(long long vector_length, long long workers = 1);

// The stream of the current region's queue.
cudaStream_t stream();

// The same stream, for copies that belong to a launch.
cudaStream_t copying_stream();

// To be called right after the launch: a failed launch ends the program with an error, a
// region that is not async waits for the kernel here.
void launched(const char *kernel, dim3 grid, dim3 block, std::size_t dynamic_shared);

// Ends the program with CUDA's message if `status` is an error; `what` says what was tried.
void check(cudaError_t status, const char *what);

// How many threads a block of this kernel can have, at most `wanted`; a multiple of a warp where
// it had to be lowered.
template <class Kernel> int threads_per_block(Kernel *kernel, int wanted)
{
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(kernel)), "reading a kernel's limits");
    const int most = attributes.maxThreadsPerBlock;
    if (wanted < 1)
        return 1;
    return wanted <= most ? wanted : most / 32 * 32;
}

// A block of the size that was asked for, at least one thread and as many as the kernel can have.
template <class Kernel> dim3 block(Kernel *kernel, long long x, long long y = 1, long long z = 1)
{
    const long long most = threads_per_block(kernel, 1024);
    const auto within = [](long long wanted, long long limit) { return wanted < 1 ? 1 : wanted < limit ? wanted : limit; };
    z = within(z, most < 64 ? most : 64);
    y = within(y, most / z);
    x = within(x, most / (y * z));
    return dim3(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z));
}

// A block for so many iterations, x first, of a kernel that computes the same with any: `largest` or a
// half, a quarter, ... of it. On a GPU the one of the highest occupancy, the largest of equal ones; where
// the iterations are too few to fill the device, one that keeps all its multiprocessors busy.
dim3 best_block(const void *kernel, dim3 largest, long long nx, long long ny = 1, long long nz = 1);

template <class Kernel> dim3 best_block(Kernel *kernel, dim3 largest, long long nx, long long ny = 1, long long nz = 1)
{
    return best_block(reinterpret_cast<const void *>(kernel), largest, nx, ny, nz);
}

// The same for a block that shares windows: the program means just this one, so that any other size
// ends it with an error.
dim3 window_block(const void *kernel, long long x, long long y, long long z);

template <class Kernel> dim3 window_block(Kernel *kernel, long long x, long long y = 1, long long z = 1)
{
    return window_block(reinterpret_cast<const void *>(kernel), x, y, z);
}

// Ends the program with an error if a window reaches a negative number of elements from its pivot,
// or more of them than a block of this device has bytes. `side` is "before" or "after".
void window_reach(long long elements, const char *side, const char *window);

// Whether a block has room for windows of so many bytes together, none of which reaches a negative
// number of elements from its pivot, or more of them than a block has bytes.
bool has_room(const void *kernel, std::size_t bytes, std::initializer_list<long long> reaches);

template <class Kernel> bool has_room(Kernel *kernel, std::size_t bytes, std::initializer_list<long long> reaches)
{
    return has_room(reinterpret_cast<const void *>(kernel), bytes, reaches);
}

// Asks for the dynamic shared memory of a kernel's windows, which may be more than the 48 KB that every
// kernel has; ends the program with an error where the device has less.
void allow_shared(const void *kernel, std::size_t bytes);

template <class Kernel> void allow_shared(Kernel *kernel, std::size_t bytes)
{
    allow_shared(reinterpret_cast<const void *>(kernel), bytes);
}

// The same grid, or a smaller one of as many blocks as keep any device busy: the blocks of a kernel
// that reduces have all an end that takes its time. Loops stride over the grid, so that any serves.
dim3 reduction_grid(dim3 grid, dim3 block);

// How many blocks a grid has, of which a reduction can count 2^32 - 1.
std::size_t counted_blocks(dim3 grid);

// A counter in device memory, 0 whenever no kernel of this host thread runs in the region's queue.
// Launches of one thread in one stream follow each other, so that no two count by it at a time.
unsigned *ticket();

// How an array that kernels use is copied from, in the region's queue. CUDA reads pageable memory as it
// is told to copy: what is in the queue is over on return, where the array is the host's own.
cudaMemcpyKind kind_of_copy(const void *array);
void *allocate_scratch(std::size_t bytes);
void free_scratch(void *device) noexcept;
void copy_scratch(void *to, const void *from, std::size_t bytes);
void copy_incoming(void *device, const void *host, std::size_t bytes);
void copy_result(void *host, const void *device, std::size_t bytes);

// Device memory for as long as the launcher runs; the queue's order keeps it alive for the kernel.
template <class T> class Scratch {
public:
    explicit Scratch(std::size_t count) : memory_(static_cast<T *>(allocate_scratch(count * sizeof(T)))) {}
    ~Scratch() { free_scratch(memory_); }
    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;
    T *data() const { return memory_; }

private:
    T *memory_;
};

} // namespace accrs

#endif
