// SPDX-License-Identifier: 0BSD
//
// From the events of a warp's lanes to requests.
#include "warps.hpp"

#include "../watch/objects.hpp"

#include <algorithm>
#include <tuple>

namespace accrs::counts {

namespace {


bool is_same_place(const Event &left, const Event &right)
{
    return left.site == right.site && left.access == right.access && left.space == right.space;
}

// Whether all lanes were at the same places in the same order, the usual case.
bool in_step(const std::vector<Event> *lane_events)
{
    for (unsigned lane = 1; lane < lanes; ++lane)
        if (!std::equal(lane_events[0].begin(), lane_events[0].end(), lane_events[lane].begin(), lane_events[lane].end(),
                        is_same_place))
            return false;
    return true;
}

class Counter {
public:
    Counter(const std::string &kernel, Book &book) : kernel_(kernel), book_(book) {}

    void request(const Event *const *events, unsigned count, bool is_full)
    {
        PlaceCounts &place = place_of(*events[0]);
        (is_full ? place.full : place.partial).add(serve(events, count));
    }

private:
    PlaceCounts &place_of(const Event &event)
    {
        PlaceCounts &place = book_.places[{kernel_, event.site, event.access, event.space}];
        if (place.bytes == 0) {
            place.bytes = event.bytes;
            place.array = event.space == Space::device ? watch::device_object(event.address).name
                          : running.dynamic.contains(event.address) ? "dynamic shared memory"
                                                                    : watch::shared_object(event.address).name;
        }
        return place;
    }

    const std::string &kernel_;
    Book &book_;
};

void count_in_step(const std::vector<Event> *lane_events, Counter &counter)
{
    const Event *request[lanes];
    for (std::size_t i = 0; i < lane_events[0].size(); ++i) {
        for (unsigned lane = 0; lane < lanes; ++lane)
            request[lane] = &lane_events[lane][i];
        counter.request(request, lanes, true);
    }
}

// Lanes that went different ways: the k-th times at a place go together. Where all lanes were
// there equally often, these are full requests.
void count_apart(const std::vector<Event> *lane_events, unsigned count, Counter &counter)
{
    struct Key {
        std::uint32_t site;
        Access access;
        Space space;

        bool operator<(const Key &other) const
        {
            return std::tie(site, access, space) < std::tie(other.site, other.access, other.space);
        }
    };
    std::map<Key, std::vector<std::vector<const Event *>>> places;
    for (unsigned lane = 0; lane < count; ++lane)
        for (const Event &event : lane_events[lane]) {
            auto &by_lane = places[{event.site, event.access, event.space}];
            by_lane.resize(lanes);
            by_lane[lane].push_back(&event);
        }
    for (const auto &[key, by_lane] : places) {
        std::size_t most = 0, fewest = by_lane[0].size();
        for (const auto &events : by_lane) {
            most = std::max(most, events.size());
            fewest = std::min(fewest, events.size());
        }
        for (std::size_t k = 0; k < most; ++k) {
            const Event *request[lanes];
            unsigned taking_part = 0;
            for (const auto &events : by_lane)
                if (k < events.size())
                    request[taking_part++] = events[k];
            counter.request(request, taking_part, most == fewest);
        }
    }
}

} // namespace

void count_warp(std::vector<Event> *lane_events, unsigned count, const std::string &kernel, Book &book)
{
    Counter counter(kernel, book);
    if (count == lanes && in_step(lane_events))
        count_in_step(lane_events, counter);
    else
        count_apart(lane_events, count, counter);
    for (unsigned lane = 0; lane < count; ++lane)
        lane_events[lane].clear();
}

void Book::add(const Book &other)
{
    for (const auto &[name, counts] : other.kernels) {
        KernelCounts &kernel = kernels[name];
        kernel.launches += counts.launches;
        kernel.blocks += counts.blocks;
        kernel.threads += counts.threads;
        kernel.barriers += counts.barriers;
        for (const auto &[configuration, launches] : counts.configurations)
            kernel.configurations[configuration] += launches;
    }
    for (const auto &[key, counts] : other.places) {
        PlaceCounts &place = places[key];
        place.full.add(counts.full);
        place.partial.add(counts.partial);
        if (place.bytes == 0) {
            place.bytes = counts.bytes;
            place.array = counts.array;
        }
    }
}

} // namespace accrs::counts
