// SPDX-License-Identifier: 0BSD
//
// One device: its present table, its queues, and the copies between the two memories.
#ifndef ACCRS_DEVICE_STATE_HPP
#define ACCRS_DEVICE_STATE_HPP

#include "present_table.hpp"
#include "region.hpp"

#include <mutex>

namespace accrs {

struct Section {
    const char *name;
    std::uintptr_t base;
    std::uintptr_t start;
    std::size_t length;
};

enum class Count { structured, dynamic };

class Device {
public:
    // Recursive: a failure ends the program by exit, whose handlers may come back here.
    std::recursive_mutex mutex;
    PresentTable table;

    // Present: counted once more. Absent: memory, with the host's bytes if `copy`. The section
    // must not be partly present. Null for a section of no bytes that is absent.
    Entry *enter(const Section &section, bool copy, Count count);
    // Counts once less; when both counts are zero the bytes of the section go back to the host if
    // `copy`, and the memory is freed. Absent data is passed over.
    void leave(const Section &section, bool copy, Count count, bool finalize);
    void update(const Section &section, bool to_host, bool if_present);

    // Ends the program unless the section is wholly present or wholly absent.
    Entry *find_whole(const Section &section);

    void attach(const char *name, std::uintptr_t pointer_address);
    void detach(const char *name, std::uintptr_t pointer_address, bool finalize);

    void copy_to_device(Entry &entry, std::uintptr_t start, std::size_t bytes, const char *name);
    void copy_to_host(Entry &entry, std::uintptr_t start, std::size_t bytes, const char *name);

    void *allocate(std::size_t bytes, const char *name);
    void free(void *memory, const char *name);

    cudaStream_t stream(int queue);
    void wait(int queue);
    void wait_all();
    bool finished(int queue);
    bool all_finished();
    // What is put into queue `waiting` from now on begins after what is in `queue` now.
    void wait_async(int queue, int waiting);
    void wait_all_async(int waiting);
    int default_async = 0;

private:
    void wait_if_synchronous();
    void write_attachments(Entry &entry, std::uintptr_t start, std::size_t bytes, bool on_host);

    std::map<int, cudaStream_t> streams_;
};

Device &device();

} // namespace accrs

#endif
