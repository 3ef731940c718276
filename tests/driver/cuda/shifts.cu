// Shifts by as many places as a value has bits, or more, as PTX's shl and shr make them. Lines say
// where there are too many.
#include "shifts.cuh"
#include <iostream>
#include <stdio.h>

#if BIT(4) != 16
#error a macro with a shift is a constant
#endif

enum Color : unsigned char { red = 1, green = 2, blue = 200 };
struct Packed {
    unsigned low : 5;
    int high : 7;
};

template <int bits> struct Table {
    int values[1 << bits];
};

template <class A, class B> struct Both {
    A a;
    B b;
};

HD constexpr int power(int n) { return 1 << n; }

// Each of the numbers 0, 1, 31, 32, 33, 63, 64, 65, -1 is a count.
__global__ void shift(const int *counts, long long *out)
{
    const int i = threadIdx.x, n = counts[i];
    long long *own = out + 16 * i;
    const char c = -3;
    const unsigned char byte = 200;
    const unsigned short half = 40000;
    own[0] = 1 << n; // too many
    own[1] = 3000000000u >> n; // too many
    own[2] = -7 >> n; // too many
    own[3] = 7 >> n; // too many
    own[4] = 1ll << n; // too many
    own[5] = (long long)(~0ull >> n); // too many
    own[6] = (-1ll - (1ll << 40)) >> n; // too many
    own[7] = c >> n; // too many
    own[8] = (byte << n) + (half >> n); // too many
    own[9] = BIT(n) | doubled(5ull, n); // too many
    int x = 0x7fff1234;
    x <<= n; // too many
    own[10] = x;
    unsigned long long y = 0xfedcba9876543210;
    SHIFT_DOWN(y, n); // too many
    own[11] = (long long)y;
    short z = -300;
    volatile unsigned char v = 255;
    z >>= n < 0 ? 1 : n; // too many
    v >>= n; // too many
    own[12] = z * 1000 + v;
    own[13] = i < 5 && n < 64 >> n ? blue << n : red << n; // too many
    Packed packed = {9, -9};
    packed.low <<= 1;
    own[14] = (5 >> packed.low) + (packed.high >> n) + doubled((short)3, n); // too many
    own[15] = (unsigned)n >> (unsigned long)n << (1 + n); // too many
}

// Nothing that a compiler could know is too many.
__global__ void others(int *out, int four, int count)
{
    constexpr int bits = 5;
    __shared__ int shared[1 << bits];
    constexpr int last = power(bits) - 1;
    shared[last] = 1;
    Table<bits> table;
    Both<int, Both<int, int>> nested = {1, {2, 3}};
    switch (nested.b.b) {
    case power(1) + 1: out[0] = sizeof table / sizeof(int) + shared[31]; break;
    case 1 << bits: out[0] = -1; break;
    }
    Digits digits = Digits{1} << four << 5;
    digits <<= four + 2;
    out[1] = digits.value;
    Sum sum = {0};
    sum << four << 2.5f << digits.value << (1 << four * 8); // too many
    out[2] = sum.total;
    auto left = [=](int x) { return x << four * 8 + 31; }; // too many
    out[3] = left(5);
    int a, b = 3;
    a = b <<= count; // too many
    out[4] = a + b;
    b = 77;
    (b >>= 1) <<= four;
    out[5] = b;
}

static int places(int x) { return x << 2; }

int main()
{
    const int counts[] = {0, 1, 31, 32, 33, 63, 64, 65, -1};
    const int all = sizeof counts / sizeof *counts;
    int *own_counts, *few, results[6];
    long long *out, values[16 * all];
    cudaMalloc(&own_counts, sizeof counts);
    cudaMalloc(&out, sizeof values);
    cudaMalloc(&few, sizeof results);
    cudaMemset(few, 0, sizeof results);
    cudaMemcpy(own_counts, counts, sizeof counts, cudaMemcpyHostToDevice);
    shift<<<1, all>>>(own_counts, out);
    cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost);
    for (int i = 0; i < all; i++) {
        printf("%d:", counts[i]);
        for (int k = 0; k < 16; k++)
            printf(" %lld", values[16 * i + k]);
        printf("\n");
    }
    others<<<1, 1>>>(few, 4, 32);
    cudaMemcpy(results, few, sizeof results, cudaMemcpyDeviceToHost);
    std::cout << results[0] << " " << results[1] << ' ' << results[2] << ' ' << results[3] << ' ' << results[4] << ' '
              << results[5] << ' ' << places(3) << ' ' << BIT(3) << std::endl;
    cudaFree(own_counts);
    cudaFree(out);
    cudaFree(few);
    return 0;
}
