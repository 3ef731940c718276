// SPDX-License-Identifier: 0BSD
//
// What the running block's shared memory holds, and which of it several threads may write at once.
#include "report.hpp"
#include "shadow.hpp"

#include "../emulation/watch.hpp"

#include <vector>

namespace accrs::checks {

namespace {

struct Channel {
    std::uintptr_t begin;
    std::size_t bytes;
};

thread_local std::vector<Channel> channels;

} // namespace

Object shared_object(std::uintptr_t address)
{
    if (running.dynamic.contains(address))
        return {"dynamic shared memory", running.dynamic.bytes, static_cast<std::ptrdiff_t>(address - running.dynamic.begin), false};
    return watch::shared_object(address);
}

bool is_channel(std::uintptr_t address)
{
    for (const Channel &known : channels)
        if (address - known.begin < known.bytes)
            return true;
    return false;
}

void forget_channels()
{
    channels.clear();
}

} // namespace accrs::checks

namespace accrs::watch {

void channel(const void *begin, std::size_t bytes)
{
    using checks::channels;
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    for (const auto &known : channels)
        if (known.begin == address && known.bytes >= bytes)
            return;
    channels.push_back({address, bytes});
}

} // namespace accrs::watch
