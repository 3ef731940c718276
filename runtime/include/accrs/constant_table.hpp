// SPDX-License-Identifier: 0BSD
//
// Tables in constant memory, which each launch of a kernel fills from the array's copy in device
// memory. All launches of a kernel share the table, on whichever streams they are: one that comes
// later waits on the device for the one before. The functions without a body here are in
// src/constant_tables.cpp.
#ifndef ACCRS_CONSTANT_TABLE_HPP
#define ACCRS_CONSTANT_TABLE_HPP

#include "cuda.hpp"
#include "launch.hpp"

#include <cstddef>
#include <cstdint>

namespace accrs {

// Some bytes of a table.
struct TablePart {
    std::size_t begin;
    std::size_t bytes;
};

// What of the first `bytes` of an array is present.
TablePart table_part(const volatile void *host, std::size_t bytes);

class TableTurn;
// Waits until launches before this one need the table no more: other host threads here, the device
// on its stream.
TableTurn *begin_turn(const void *table);
void end_turn(TableTurn *turn) noexcept;

// To be made before the launch, and gone after it.
class ConstantTable {
public:
    // The array is at `device`; `host` is what the program calls it by.
    template <class T>
    ConstantTable(T &table, const volatile void *device, const volatile void *host) : ConstantTable(table, table, device, host)
    {
    }
    // A table inside of a constant variable.
    template <class Variable, class T>
    ConstantTable(Variable &variable, T &table, const volatile void *device, const volatile void *host)
        : turn_(begin_turn(&variable))
    {
        if (device == nullptr)
            return;
        const auto place = reinterpret_cast<std::uintptr_t>(&table) - reinterpret_cast<std::uintptr_t>(&variable);
        const TablePart part = table_part(host, sizeof(T));
        const char *const from = const_cast<const char *>(static_cast<const volatile char *>(device));
        if (part.bytes != 0)
            check(cudaMemcpyToSymbolAsync(variable, from + part.begin, part.bytes, place + part.begin, kind_of_copy(from),
                                          copying_stream()),
                  "filling a table in constant memory");
    }
    ~ConstantTable() { end_turn(turn_); }
    ConstantTable(const ConstantTable &) = delete;
    ConstantTable &operator=(const ConstantTable &) = delete;

private:
    TableTurn *turn_;
};

} // namespace accrs

#endif
