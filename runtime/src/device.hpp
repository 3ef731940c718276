// SPDX-License-Identifier: 0BSD
//
// The devices. Of each: its present table, its queues, and the copies between the two memories.
#ifndef ACCRS_DEVICE_STATE_HPP
#define ACCRS_DEVICE_STATE_HPP

#include "present_table.hpp"
#include "region.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <set>

namespace accrs {

struct Section {
    const char *name;
    std::uintptr_t base;
    std::uintptr_t start;
    std::size_t length;
};

enum class Count { structured, dynamic };

// What accrs_section_alloc has made.
struct ArraySection {
    const char *name;
    Place place;
    std::size_t element;
    std::vector<Dimension> dimensions;
    Entry *entry; // null where it has no bytes
};

struct SectionCopy;

// What fresh memory gets, and whether data that is present already gets it too.
struct Entering {
    bool copy = false;
    bool zero = false;
    bool always = false;
};

struct Leaving {
    bool copy = false;
    bool finalize = false;
    bool always = false; // copies though others still use the data
};

// Whether the program is built for unified memory: kernels use the host's memory where it is.
bool memory_is_unified();

// Where directives carry out their data actions: a GPU, or the host itself. Where memory is shared, on
// the host and on GPUs with unified memory, there is nothing to do but to note which ranges of memory
// the program names: launches ask for them.
class Device {
public:
    // `origin`: this one stands for a GPU within one region only, with a present table of its own;
    // the table of `origin` knows the extents of data.
    explicit Device(int number, Device *origin = nullptr)
        : number(number), is_host(number == host_device), shares_memory(is_host || memory_is_unified()), origin(origin)
    {
    }

    const int number;
    const bool is_host;       // the host runs the constructs: there are no queues and no launches
    const bool shares_memory; // with the host: a host address is the device's, and all data is present
    Device *const origin;
    // Recursive: a failure ends the program by exit, whose handlers may come back here.
    std::recursive_mutex mutex;
    PresentTable table;
    std::atomic<bool> ready{false}; // of a GPU: it has the variables of declare
    std::multimap<std::uintptr_t, ArraySection> sections; // by base; several only of no bytes at a null pointer

    // Present: counted once more. Absent: memory, with the host's bytes if `copy`, with zeros if
    // `zero`. The section must not be partly present. Null for a section of no bytes that is absent.
    Entry *enter(const Section &section, Entering how, Count count);
    // Counts once less; when both counts are zero the bytes of the section go back to the host if
    // `copy`, and the memory is freed. Absent data is passed over.
    void leave(const Section &section, Leaving how, Count count);
    // The same for the entry of the section.
    void leave_entry(Entry &entry, const Section &section, Leaving how, Count count);
    // Ends the lifetime of what acc_map_data or accrs_section_alloc has begun.
    void unmap(Entry &entry, const char *name) { end_lifetime(entry, name); }
    // The entry for a section of an array, in memory of its own: `start` and `span` are where its
    // elements lie on the host, of which the device has `bytes`.
    Entry *enter_section(const Section &span, std::size_t bytes, bool zero);
    ArraySection *find_section(std::uintptr_t base);
    void copy_section(Entry &entry, const SectionCopy &copy, const Section &span, bool to_host);
    void update(const Section &section, bool to_host, bool if_present);
    // Each entry of the present table as a line of the trace.
    void trace_table();
    // Ends all data lifetimes but those of variables of declare outside of functions.
    void release_all();

    // Ends the program unless the section is wholly present or wholly absent. Of shared memory a part
    // counts as absent.
    Entry *find_whole(const Section &section);
    // The entry that contains the address, else one that was given relative to it.
    Entry *find_pointer(std::uintptr_t address, const char *name);
    // Ends the program where the rows of the copy are closed up, so that an address on the host leads
    // to nothing on the device.
    void check_rows(const Entry &entry, const char *name);

    // All that is known of the data that a section is of, else the section itself.
    Section extent_of(const Section &section);
    bool knows(std::uintptr_t address);
    // Whether enter data, and no exit data since, named a section of no bytes of this pointer.
    bool holds_empty(std::uintptr_t base) const { return empty_.count(base) != 0; }
    // The pointers within a range that are attached.
    std::map<std::uintptr_t, Attachment> attachments_of(const Section &section);

    void attach(const char *name, std::uintptr_t pointer_address);
    void detach(const char *name, std::uintptr_t pointer_address, bool finalize);

    // The pointers of device functions to what the entry holds: set, or null again; in shared memory they
    // lead to the host's variable then.
    void tell_globals(const Entry &entry, bool present, const char *name);
    // The same of all variables, to the host's own.
    void share_globals();

    // Of shared memory: forgets ranges that no region holds and that overlap the section, which grows to
    // have them. False where one stays.
    bool forget_shared(Section &section);

    void copy_to_device(Entry &entry, std::uintptr_t start, std::size_t bytes, const char *name);
    void copy_to_host(Entry &entry, std::uintptr_t start, std::size_t bytes, const char *name);

    void *allocate(std::size_t bytes, const char *name);
    void free(void *memory, std::size_t bytes, const char *name);

    cudaStream_t stream(int queue);
    // Of the kernels that accrs_nowait lets run on.
    cudaStream_t nowait_stream();
    void wait_nowait();
    void wait(int queue);
    void wait_all();
    bool finished(int queue);
    bool all_finished();
    // What is put into queue `waiting` of device `other` from now on begins after what is in `queue`
    // of this one now.
    void wait_async(int queue, Device &other, int waiting);
    void wait_all_async(Device &other, int waiting);
    // Kernels launched so far. Memory that none can have seen holds what it was allocated with.
    std::atomic<unsigned long long> launches{0};

private:
    Entry *enter_shared(const Section &section, Count count);
    void clear(Entry &entry, const char *name);
    void end_lifetime(Entry &entry, const char *name);
    void wait_if_synchronous();
    void trace_copy(const char *event, const char *name, std::size_t bytes, double begun);
    void write_attachments(Entry &entry, std::uintptr_t start, std::size_t bytes);
    void write_pointer(const char *event, const char *name, Entry &holder, std::uintptr_t pointer_address, std::uintptr_t value);

    std::vector<int> queues(); // that have been used

    cudaStream_t new_stream();

    std::map<int, cudaStream_t> streams_;
    cudaStream_t nowait_ = nullptr;
    std::multiset<std::uintptr_t> empty_;
};

// A copy to the device of what the caller may change as soon as it returns.
cudaError_t copy_value(void *to, const void *from, std::size_t bytes, cudaStream_t stream);

// Ends the program unless the number is that of a queue or a special value.
void check_queue(int queue);

// The current device of this host thread: the one it chose, else that of ACC_DEVICE_NUM, else
// CUDA's own. It is CUDA's current device on return.
Device &device();
// A device of the current type as the program numbers it, without making it the current one.
Device &device_numbered(int number);
int device_count();
// The devices that have been used so far.
void for_each_device(const std::function<void(Device &)> &act);
void choose_device(int number);
// The host becomes the current device, or the GPU that was the current one before it.
void choose_host();
void choose_gpu();
// The number of that GPU.
int any_gpu();
// That of ACC_DEVICE_NUM, else the one that the program chose by CUDA, else 0.
int default_number();
// A GPU whatever the current device is; -1 is that one.
Device &gpu_numbered(int number);
// Whether ACC_DEVICE_TYPE, in capitals or not, asks for the host.
bool host_by_environment();
// Whether the host is the current device; uses none.
bool on_host();

// What is asked for of CUDA: an atomic access to a byte is one to the word around it (include/accrs/atomic.hpp).
// On the emulation, which sees accesses outside memory, memory ends where the program's does.
constexpr std::size_t in_words(std::size_t bytes)
{
    const bool is_whole = ACCRS_EMULATED || bytes % 4 == 0;
    const std::size_t whole = bytes + 4 - bytes % 4;
    return is_whole || whole < bytes ? bytes : whole; // what no memory has is still refused
}

// Another device is the current one for a while; no_device changes nothing.
class DeviceScope {
public:
    explicit DeviceScope(int number);
    ~DeviceScope();
    DeviceScope(const DeviceScope &) = delete;
    DeviceScope &operator=(const DeviceScope &) = delete;

private:
    int before_;
};

} // namespace accrs

#endif
