// What shifts.cu includes: shifts in a header.
#pragma once

#define BIT(n) (1u << (n))
#define SHIFT_DOWN(x, n)                                                       \
    do {                                                                       \
        x >>= n;                                                               \
    } while (0)
#define HD __host__ __device__

template <typename T> __device__ T doubled(T x, int times)
{
    return x << times; // too many
}

// A number whose `<<` appends a digit: no shift.
struct Digits {
    int value;
    HD Digits operator<<(int digit) const { return Digits{value * 10 + digit}; }
    HD Digits &operator<<=(int digit)
    {
        value = value * 10 + digit;
        return *this;
    }
};

// What sums all that is put into it.
struct Sum {
    int total;
    template <typename T> HD Sum &operator<<(const T &x)
    {
        total += (int)x;
        return *this;
    }
};
