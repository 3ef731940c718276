// SPDX-License-Identifier: 0BSD
//
// The present table (OpenACC 3.3, 2.7): which ranges of host memory have a copy on the device.
// Ranges do not overlap. Look-ups are logarithmic in the number of entries. Not locked: Device
// does that.
#ifndef ACCRS_PRESENT_TABLE_HPP
#define ACCRS_PRESENT_TABLE_HPP

#include "address_index.hpp"
#include "place.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace accrs {

// A pointer within an entry whose copy on the device holds a device address.
struct Attachment {
    std::uintptr_t host_value;   // what the pointer holds on the host
    std::uintptr_t device_value; // what its copy holds
    unsigned count;
};

struct Entry {
    std::uintptr_t start;
    std::size_t length;
    std::uintptr_t device;
    std::uintptr_t base; // the pointer or array that the section was given relative to
    unsigned structured = 0;
    unsigned dynamic = 0;
    const char *name = nullptr; // as the first clause has it
    Place place;                // where that was
    bool exposed = false; // its bytes were written, or its device address is known to the program
    unsigned long long launches = 0; // those of the device before it was allocated
    bool mapped = false; // by acc_map_data: its device memory is the program's own
    bool lasting = false; // a variable of declare outside of functions
    bool retired = false; // the device was shut down while regions still held it
    bool alone = false; // by accrs_section_alloc: no directive of OpenACC ends its lifetime
    bool shared = false; // its bytes are the host's own, at the same address: nothing is allocated or copied
    // Bytes of the range that the copy does not have: the rows of a section that is not of whole rows
    // are closed up. An address on the host then leads to no element of the copy.
    std::size_t gaps = 0;
    std::map<std::uintptr_t, Attachment> attachments; // by the pointer's address on the host

    std::uintptr_t end() const { return start + length; }
    std::size_t device_bytes() const { return length - gaps; }
    bool contains(std::uintptr_t address, std::size_t bytes) const
    {
        return address >= start && address <= end() && bytes <= end() - address;
    }
    // Of an entry without gaps.
    std::uintptr_t device_of(std::uintptr_t address) const { return device + (address - start); }
};

enum class Presence { absent, partial, present };

struct Found {
    Presence presence;
    Entry *entry; // what is present, or the first that overlaps
};

class PresentTable {
public:
    // The range of `length` bytes; a length of 0 asks for the one address.
    Found find(std::uintptr_t start, std::size_t length);
    // By an address alone: the entry that contains it, else one whose section was given relative
    // to it; null if there is neither.
    Entry *find_pointer(std::uintptr_t address);
    // The entry whose copy on the device contains an address.
    Entry *find_device(std::uintptr_t device);
    // An entry whose copy has a byte of this device memory; null if there is none.
    Entry *find_device_overlap(std::uintptr_t device, std::size_t bytes);
    // The range must be absent.
    Entry *insert(const Entry &entry);
    void erase(Entry *entry);
    // Not found from now on; it stays where it is until recycled.
    void retire(Entry *entry);
    void recycle(Entry *entry);
    // In the order of host addresses. The table must stay as it is meanwhile.
    template <class Visit> void for_each(const Visit &visit) const { by_start_.for_each(visit); }

private:
    std::deque<Entry> memory_; // entries stay where they are
    std::vector<Entry *> unused_;
    AddressIndex by_start_;
    AddressIndex by_device_;
    std::multimap<std::uintptr_t, Entry *> by_base_; // entries that do not contain their base
};

} // namespace accrs

#endif
