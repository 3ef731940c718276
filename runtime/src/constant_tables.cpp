// SPDX-License-Identifier: 0BSD
//
// Whose turn it is to use a table in constant memory (include/accrs/constant_table.hpp).
#include "../include/accrs/constant_table.hpp"

#include "device.hpp"

#include <algorithm>
#include <map>
#include <mutex>

namespace accrs {

// A table: the copy on each device belongs to one launch at a time.
class TableTurn {
public:
    void begin()
    {
        mutex_.lock();
        const auto last = ended_.find(device().number);
        if (last != ended_.end())
            check(cudaStreamWaitEvent(copying_stream(), last->second, 0), "waiting for a table in constant memory");
    }

    void end() noexcept
    {
        // What fails here failed at the launch, which was reported.
        cudaEvent_t &event = ended_[device().number];
        if (event == nullptr)
            (void)cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        (void)cudaEventRecord(event, copying_stream());
        mutex_.unlock();
    }

private:
    // Recursive: a failure ends the program by exit, whose handlers may come back here.
    std::recursive_mutex mutex_;
    std::map<int, cudaEvent_t> ended_; // by device: when the last launch has ended
};

namespace {

struct Tables {
    std::mutex mutex;
    std::map<const void *, TableTurn> list;
};

// Never destroyed, as devices are not.
Tables &tables()
{
    static Tables *const instance = new Tables;
    return *instance;
}

} // namespace

TableTurn *begin_turn(const void *table)
{
    TableTurn *turn = nullptr;
    {
        Tables &all = tables();
        const std::lock_guard<std::mutex> lock(all.mutex);
        turn = &all.list[table];
    }
    turn->begin();
    return turn;
}

void end_turn(TableTurn *turn) noexcept
{
    turn->end();
}

TablePart table_part(const volatile void *host, std::size_t bytes)
{
    ByteRange present{0, 0};
    // Where an array ends that came as an address of the device is for the program to know.
    if (!find_present_bytes(host, "", present))
        return {0, bytes};
    const auto most = static_cast<std::ptrdiff_t>(bytes);
    const auto begin = std::clamp<std::ptrdiff_t>(present.begin, 0, most);
    const auto end = std::clamp<std::ptrdiff_t>(present.end, begin, most);
    return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)};
}

} // namespace accrs
