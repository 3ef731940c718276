// SPDX-License-Identifier: 0BSD
#include "layout.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace accrs::checks {

namespace {

template <class T> T value_at(const char *bytes)
{
    T value{};
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

// Of the sizes that long double has the value of each exactly; false: another size.
bool floating(const Field &field, const char *bytes, long double &value)
{
    switch (field.bytes) {
    case sizeof(float):
        value = value_at<float>(bytes);
        return true;
    case sizeof(double):
        value = value_at<double>(bytes);
        return true;
    case sizeof(long double):
        value = value_at<long double>(bytes);
        return true;
    default:
        return false;
    }
}

std::string hexadecimal(const char *bytes, std::size_t count)
{
    std::string out = "bytes";
    for (std::size_t i = 0; i < std::min<std::size_t>(count, 16); ++i) {
        char text[4];
        std::snprintf(text, sizeof text, " %02x", static_cast<unsigned>(static_cast<unsigned char>(bytes[i])));
        out += text;
    }
    return count > 16 ? out + " ..." : out;
}

} // namespace

Layout layout_of(const char *text)
{
    Layout layout;
    char *at = nullptr;
    layout.bytes = std::strtoul(text, &at, 10);
    while (*at == ' ') {
        Field field{};
        field.offset = std::strtoul(at + 1, &at, 10);
        field.kind = *at;
        field.bytes = std::strtoul(at + 1, &at, 10);
        field.count = std::strtoul(at + 1, &at, 10);
        const char *const end = at + std::strcspn(at, " ");
        field.name.assign(at, static_cast<std::size_t>(end - at));
        at += end - at;
        layout.fields.push_back(std::move(field));
    }
    return layout;
}

bool are_same(const Field &field, const Tolerance &tolerance, const char *one, const char *other)
{
    if (std::memcmp(one, other, field.bytes) == 0)
        return true;
    long double a = 0, b = 0;
    if (field.kind != 'f' || !floating(field, one, a) || !floating(field, other, b))
        return false;
    if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) && std::isnan(b);
    if (a == b) // infinities, and zeros of both signs
        return true;
    const long double most = std::max(std::fabs(a), std::fabs(b));
    return std::isfinite(most) && std::fabs(a - b) <= most * (field.bytes <= sizeof(float) ? tolerance.single : tolerance.other);
}

std::string text_of(const Field &field, const char *value)
{
    char text[64];
    long double number = 0;
    if (field.kind == 'f' && floating(field, value, number)) {
        if (std::isnan(number))
            return "NaN";
        const int digits = field.bytes <= sizeof(float) ? FLT_DECIMAL_DIG : field.bytes <= sizeof(double) ? DBL_DECIMAL_DIG : LDBL_DECIMAL_DIG;
        std::snprintf(text, sizeof text, "%.*Lg", digits, number);
        return text;
    }
    if ((field.kind != 'i' && field.kind != 'u') || field.bytes > sizeof(std::uint64_t))
        return hexadecimal(value, field.bytes);
    std::uint64_t bits = 0; // the low bytes come first
    std::memcpy(&bits, value, field.bytes);
    if (field.kind == 'u') {
        std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(bits));
    } else {
        const unsigned unused = static_cast<unsigned>(64 - 8 * field.bytes);
        std::snprintf(text, sizeof text, "%lld", static_cast<long long>(static_cast<std::int64_t>(bits << unused) >> unused));
    }
    return text;
}

} // namespace accrs::checks
