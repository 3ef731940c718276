// SPDX-License-Identifier: 0BSD
//
// Whether the launch may let a kernel count elements in int: never where a subscript, or a step on the
// way to it, is no int; and always where all are by far.
#include "../include/accrs/launch.hpp"
#include "../include/accrs/trips.hpp"

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

namespace {

using accrs::int_elements;
using accrs::Range;
using accrs::RangeOf;

constexpr long long least = std::numeric_limits<int>::min();
constexpr long long most = std::numeric_limits<int>::max();
constexpr long long slack = 1 << 16;
constexpr long long two31 = 1ll << 31;

void expect(bool holds, const char *what, long long value)
{
    if (holds)
        return;
    std::fprintf(stderr, "elements: %s, %lld\n", what, value);
    std::exit(1);
}

bool is_int(long long value)
{
    return least <= value && value <= most;
}

long long floor_of(long long a, long long b)
{
    return a / b - (a % b != 0 && a < 0);
}

// Every step to an element of rows of these lengths: ((i * n1 + j) * n2 + k), and constants added in turn.
bool steps_fit(long long place, const std::vector<long> &rows)
{
    long long row = 1;
    for (const long length : rows)
        row *= length;
    long long number = floor_of(place, row);
    long long rest = place - number * row;
    bool fit = is_int(number);
    for (const long length : rows) {
        row /= length;
        fit = fit && is_int(number * length);
        number = number * length + rest / row;
        rest %= row;
        fit = fit && is_int(number);
    }
    return fit && number == place && is_int(place - slack) && is_int(place + slack);
}

bool chosen(long long begin, long long end, const std::vector<long> &rows)
{
    const Range present{begin, end};
    switch (rows.size()) {
    case 1:
        return int_elements(present, {rows[0]});
    case 2:
        return int_elements(present, {rows[0], rows[1]});
    default:
        return int_elements(present, {rows[0], rows[1], rows[2]});
    }
}

// What is chosen for int has no step out of it, at the ends and next to them.
void check(long long begin, long long end, const std::vector<long> &rows)
{
    if (!chosen(begin, end, rows))
        return;
    expect(is_int(end - begin), "the ends are too far apart", end);
    for (const long long place : {begin, begin + 1, end - 1, end, (begin + end) / 2, 0ll})
        if (place >= begin && place <= end)
            expect(steps_fit(place, rows), "a step is no int", place);
}

void known_cases()
{
    expect(int_elements({0, 1 << 20}, {1 << 10}), "a small array", 0);
    expect(int_elements({0, two31 - 2 * slack}, {1 << 15}), "just below", 0);
    expect(!int_elements({0, two31}, {1 << 15}), "2^31 elements", 0);
    expect(!int_elements({0, 46342ll * 46342}, {46342}), "a square just above 2^31", 0);
    expect(!int_elements({0, 3 * (1ll << 30)}, {1 << 30}), "three rows of 2^30", 0);
    expect(!int_elements({0, 10}, {two31}), "a part of one row that is too long", 0);
    expect(!int_elements({0, 10}, {1 << 16, 1 << 16}), "a plane that is too long", 0);
    expect(!int_elements({0, 10}, {std::numeric_limits<long>::max(), std::numeric_limits<long>::max()}), "products wrap", 0);
    expect(!int_elements({0, 10}, {0}) && !int_elements({0, 10}, {-5}), "no length", 0);
    // A pointer into the middle, or to before what is present.
    expect(int_elements({-5000, 5000}, {100}), "negative rows", 0);
    expect(!int_elements({-two31, 100}, {100}), "too far below", 0);
    expect(!int_elements({-two31 + 50, 100}, {100}), "a row that begins too far below", 0);
    expect(!int_elements({-(1ll << 30), (1ll << 30) + 1}, {100}), "the ends too far apart", 0);
    expect(!int_elements({3 * two31, 3 * two31 + 10}, {100}), "a section far from the first row", 0);
    expect(accrs::int_trips(0) && accrs::int_trips(-1) && accrs::int_trips(1 << 30), "few iterations", 0);
    expect(accrs::int_trips_up(-5, 5, 1) == 10 && accrs::int_trips_through(-5, 5, 2) == 6, "from below 0", 0);
    expect(accrs::int_trips_down(5, -5, 1) == 10 && accrs::int_trips_down_through(5, -5, 2) == 6, "downward", 0);
    expect(accrs::int_trips_down(-5, 5, 3) == 0 && accrs::int_trips_down_through(4, 5, 1) == 0, "nothing downward", 0);
    const long long last = two31 - 1;
    expect(accrs::int_trips_up(last, 5, 1) == 0 && accrs::int_trips_up(last, last, 32) == 0, "no iteration near the end", 0);
    expect(!accrs::int_trips(two31 - slack) && !accrs::int_trips(std::numeric_limits<long long>::max()), "too many", 0);
    expect(accrs::int_trips(1 << 15, 1 << 15) && !accrs::int_trips(1 << 15, 1 << 16), "two loops together", 0);
    expect(accrs::int_trips(-5, 1 << 20, 1 << 20) && accrs::int_trips(1 << 20, 0, 1 << 20), "no iteration together", 0);
    expect(!accrs::int_trips(1 << 20, 1 << 20, 0), "too many before none", 0);
    expect(!accrs::int_trips(two31, 2, 2), "a long loop of three", 0);
}

void ranges()
{
    const auto same = [](Range range, long long first, long long last) {
        const RangeOf<int> found(range);
        expect(found.first == first && found.last == last, "a range of int", range.begin);
    };
    same({-3, 8}, -3, 7);
    same({0, 0}, 0, -1);
    same({5, 3}, 0, -1);
    same({-two31, two31}, least, most);
    same({-3 * two31, 3 * two31}, least, most);
    same({two31, two31 + 5}, 0, -1);
    same({two31 - 1, two31 + 5}, most, most);
    same({-two31 - 5, -two31}, 0, -1);
    same({-two31 - 5, -two31 + 1}, least, least);
    const RangeOf<long> wide(Range{-3 * two31, 3 * two31});
    expect(wide.first == -3 * two31 && wide.last == 3 * two31 - 1, "a range of long", wide.last);
}

void places()
{
    expect(accrs::place(3, 10, 4) == 34 && accrs::place(-1, 10, 4) == -6, "a place of int", 0);
    expect(accrs::place(3, 1l << 31, 4) == 3 * two31 + 4, "a place of long", 0);
    expect(accrs::place(4294967295u, 10l, 4) == 42949672954l, "an unsigned row of long", 0);
    // No array has it: it only must not be undefined.
    expect(accrs::place(1 << 20, 1 << 20, 5) == 5, "a place that wraps", 0);
}

// Rows of 10 elements, from the one before the pointer's on.
void rows()
{
    const accrs::PresentRows whole{{-10, 30}, 10};
    expect(whole.are_whole(), "whole rows", 0);
    const accrs::RowsOf<int> found(whole);
    expect(found.has(-1, -10) && found.has(2, 29) && !found.has(-2, -11) && !found.has(3, 30), "rows of int", 0);
    expect(found.has(2u, 20) && !found.has(4294967295u, -10) && !found.has(1l << 32, 0), "wide rows", 0);
    const accrs::PresentRows part{{5, 28}, 10};
    expect(!part.are_whole() && !accrs::PresentRows{{0, 25}, 10}.are_whole(), "parts of rows", 0);
    const accrs::RowsOf<long> elements(part);
    expect(elements.has(0, 5) && !elements.has(0, 4) && elements.has(2, 27) && !elements.has(2, 28), "elements of rows", 0);
    const accrs::PresentRows first{{0, 30}, 10};
    expect(first.are_first(3) && !first.are_first(2) && !first.are_first(4) && !whole.are_first(3), "the first rows", 0);
    expect(!accrs::PresentRows{{0, 29}, 10}.are_first(3) && !accrs::PresentRows{{0, 0}, 10}.are_first(-1), "no first rows", 0);
    const accrs::RowsOf<int> counted(first);
    expect(counted.has(0, 3, 0) && counted.has(2, 3, 29) && !counted.has(-1, 3, -10) && !counted.has(3, 3, 30), "counted rows", 0);
    const accrs::RowsOf<long> wide(accrs::PresentRows{{5, 28}, 10});
    expect(!wide.has(0, 3, 4) && wide.has(2, 3, 27) && !wide.has(2, 3, 28), "elements of counted rows", 0);
    const accrs::PresentRows none{{0, 0}, 0};
    expect(none.are_whole() && !accrs::RowsOf<int>(none).has(0, 0), "rows without elements", 0);
}

} // namespace

int main()
{
    known_cases();
    ranges();
    places();
    rows();
    std::mt19937_64 random(7);
    const auto near = [&random](long long limit) {
        const auto away = static_cast<long long>(random() % (4 * slack));
        return limit - 2 * slack + away;
    };
    for (int round = 0; round < 200000; ++round) {
        std::vector<long> rows(1 + random() % 3);
        for (long &length : rows)
            length = static_cast<long>(1 + random() % (1ull << (random() % 33)));
        const long long ends[] = {0, near(two31), near(-two31), near(0), near(1ll << 30), near(3 * two31)};
        const long long a = ends[random() % 6];
        const long long b = ends[random() % 6];
        check(a < b ? a : b, a < b ? b : a, rows);
    }
    return 0;
}
