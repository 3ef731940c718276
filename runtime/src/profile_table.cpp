// SPDX-License-Identifier: 0BSD
#include "profile_table.hpp"

#include <array>
#include <string>
#include <vector>

namespace accrs {

namespace {

constexpr std::size_t columns = 9;
using Row = std::array<std::string, columns>;

const Row titles{"region", "count", "bytes", "total us", "min", "avg", "max", "grid", "block"};

std::string tenths(double value)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

// As far as the last length that is not 1.
std::string extents(dim3 of)
{
    std::string text = std::to_string(of.x);
    if (of.y > 1 || of.z > 1)
        text += "x" + std::to_string(of.y);
    if (of.z > 1)
        text += "x" + std::to_string(of.z);
    return text;
}

const char *word(WorkKind kind)
{
    switch (kind) {
    case WorkKind::launch:
        return "launch";
    case WorkKind::to_device:
        return "in";
    case WorkKind::to_host:
        return "out";
    case WorkKind::wait:
        break;
    }
    return "wait";
}

Row row(const Work &work)
{
    Row row;
    row[0] = std::string("  ") + word(work.kind) + " " + work.name;
    row[1] = std::to_string(work.count);
    const bool is_copy = work.kind == WorkKind::to_device || work.kind == WorkKind::to_host;
    row[2] = is_copy ? std::to_string(work.bytes) : "";
    const Times &times = work.times;
    const bool is_known = times.count != 0;
    row[3] = is_known ? tenths(times.total) : "-";
    row[4] = is_known ? tenths(times.least) : "-";
    row[5] = is_known ? tenths(times.total / static_cast<double>(times.count)) : "-";
    row[6] = is_known ? tenths(times.most) : "-";
    if (work.kind == WorkKind::launch) {
        row[7] = work.varies ? "several" : extents(work.shape.grid);
        row[8] = work.varies ? "" : extents(work.shape.block);
    }
    return row;
}

Row row(const RegionKey &key, const RegionCounts &counts)
{
    Row row;
    if (!key.file.empty())
        row[0] = key.file + ":" + std::to_string(key.line) + " ";
    if (!key.function.empty())
        row[0] += key.function + ": ";
    row[0] += key.construct;
    row[1] = std::to_string(counts.reached);
    return row;
}

double device_time(const RegionCounts &counts)
{
    double sum = 0;
    for (const Work &work : counts.works)
        if (work.kind != WorkKind::wait)
            sum += work.times.total;
    return sum;
}

} // namespace

void print_table(const Regions &regions, std::FILE *to)
{
    std::vector<const Regions::value_type *> order;
    for (const auto &region : regions)
        order.push_back(&region);
    std::stable_sort(order.begin(), order.end(), [](const auto *a, const auto *b) {
        return device_time(a->second) > device_time(b->second);
    });
    std::vector<Row> rows{titles};
    for (const auto *region : order) {
        rows.push_back(row(region->first, region->second));
        for (const Work &work : region->second.works)
            rows.push_back(row(work));
    }
    std::array<std::size_t, columns> widths{};
    for (const Row &row : rows)
        for (std::size_t i = 0; i != columns; ++i)
            widths[i] = std::max(widths[i], row[i].size());
    for (const Row &row : rows) {
        std::string line = row[0] + std::string(widths[0] - row[0].size(), ' ');
        for (std::size_t i = 1; i != columns; ++i)
            line += std::string(2 + widths[i] - row[i].size(), ' ') + row[i];
        line.erase(line.find_last_not_of(' ') + 1);
        std::fprintf(to, "%s\n", line.c_str());
    }
}

} // namespace accrs
