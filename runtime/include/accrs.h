/* SPDX-License-Identifier: 0BSD */
/*
 * What a translated C file calls around its data and compute regions.
 *
 * No system header is included here: the user's own feature-test macros come after this file and
 * must still take effect. Everything is C89 and C++.
 *
 * Places:   FILE and DIRECTIVE must be string literals (they are kept, not copied).
 * Sections: BASE is the pointer or array as the program names it; the section starts OFFSET bytes
 *           from it and has LENGTH bytes. LENGTH 0 looks the address up and adds nothing.
 * Errors:   a message on stderr that names file, line, directive and variable; exit status 1.
 */
#ifndef ACCRS_H
#define ACCRS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef __SIZE_TYPE__ accrs_size;
typedef __PTRDIFF_TYPE__ accrs_offset;

/* Structured regions: begin, modifiers, clauses, body, end. They nest; each thread has its own. The
   function that a place is in is added to it below. */
void accrs_begin(const char *file, int line, const char *directive, const char *function);
/* A compute region whose kernels are what runs on the host as well. Where it is not to run ON_DEVICE,
   or the host is the current device, its clauses copy the host's data to memory of the region's own
   and back, whatever is present, and it uses no queue. */
void accrs_begin_windows(const char *file, int line, const char *directive, int on_device, const char *function);
void accrs_end(void); /* undoes the clauses of the innermost region, with the addresses they had */

void accrs_end_scope(char *scope); /* the same, where a block is left: for the cleanup attribute */

/* Standalone directives: the place, modifiers, then the actions. */
void accrs_at(const char *file, int line, const char *directive, const char *function);

/* Modifiers of the accrs_begin or accrs_at just before. */
void accrs_async(int queue);           /* async(queue); acc_async_noval (-1) for a bare async */
void accrs_if_present(void);           /* update: data that is absent is passed over */
void accrs_finalize(void);             /* exit data: the dynamic count drops to zero */
void accrs_wait(int queue);            /* wait(queue) clause or directive */
void accrs_wait_all(void);             /* wait without arguments */
void accrs_wait_device(int device, int queue); /* wait(devnum: device: queues: queue) */
void accrs_wait_all_device(int device);
/* After accrs_async, its queue waits instead of the host. */

/* init, shutdown, set: types as in acc_device_t; NUMBER accrs_no_number where none is given. */
enum {
    accrs_device_default = 1,
    accrs_device_host = 2,
    accrs_device_not_host = 4,
    accrs_device_nvidia = 5,
    accrs_device_current = 8
};
enum { accrs_no_number = -2147483647 - 1 };
void accrs_init_device(int type, int number);
void accrs_shutdown_device(int type, int number);
void accrs_set_device(int type, int number);
void accrs_set_default_async(int queue);

/*
 * What the next data clause asks for beside. accrs_rows, outermost first: its section is behind
 * pointers, LENGTH bytes of them from OFFSET on, which are attached; the section itself is relative
 * to each of the innermost ones.
 */
void accrs_rows(accrs_offset offset, accrs_size length);
void accrs_zero(void);       /* fresh device memory is filled with zeros */
void accrs_always_in(void);  /* to the device even where it is present already */
void accrs_written(int written); /* after accrs_begin_windows: whether the region writes it */
void accrs_always_out(void); /* to the host even where others still use it */

/* COUNT times SIZE bytes; where that is no size, one that all below refuse. */
accrs_size accrs_bytes(accrs_offset count, accrs_size size);

/* Data clauses of a structured region (OpenACC 3.3, 2.7). */
void accrs_copy(const char *name, const volatile void *base, accrs_offset offset, accrs_size length);
void accrs_copyin(const char *name, const volatile void *base, accrs_offset offset, accrs_size length);
/* A constant that a region uses without a clause: what was copied once stays. */
void accrs_constant(const char *name, const volatile void *base, accrs_offset offset, accrs_size length);
void accrs_copyout(const char *name, const volatile void *base, accrs_offset offset, accrs_size length);
void accrs_create(const char *name, const volatile void *base, accrs_offset offset, accrs_size length);
void accrs_present(const char *name, const volatile void *base, accrs_offset offset, accrs_size length);
/* What a pointer points to, whatever its size; a null pointer points to nothing. */
void accrs_present_pointer(const char *name, const volatile void *base);
void accrs_no_create(const char *name, const volatile void *base, accrs_offset offset, accrs_size length);
void accrs_deviceptr(const char *name, const volatile void *pointer);
void accrs_attach(const char *name, const volatile void *pointer_address); /* address of the pointer */
/* A pointer of unknown extent without a clause: it must be present, or be a device address. */
void accrs_implicit(const char *name, const volatile void *base);
/* The same where the region tells the extent: what is not present is copied, a length up to 0 not. */
void accrs_implicit_copy(const char *name, const volatile void *base, accrs_offset offset, accrs_size length);
void accrs_implicit_copyin(const char *name, const volatile void *base, accrs_offset offset, accrs_size length);

/* Before accrs_implicit: why the region does not tell the extent; part of the error. */
void accrs_extent_unknown(const char *why);

/* enter data, exit data. */
void accrs_enter_copyin(const char *name, const volatile void *base, accrs_offset offset, accrs_size length);
void accrs_enter_create(const char *name, const volatile void *base, accrs_offset offset, accrs_size length);
void accrs_enter_attach(const char *name, const volatile void *pointer_address);
void accrs_exit_copyout(const char *name, const volatile void *base, accrs_offset offset, accrs_size length);
void accrs_exit_delete(const char *name, const volatile void *base, accrs_offset offset, accrs_size length);
void accrs_exit_detach(const char *name, const volatile void *pointer_address);

/* declare outside of functions: on every device, from its first use to the program's end. */
void accrs_program_data_add(const char *file, int line, const char *name, const volatile void *start, accrs_size length,
                            int copied);

/* update host(...) / self(...) and update device(...). */
void accrs_update_host(const char *name, const volatile void *base, accrs_offset offset, accrs_size length);
void accrs_update_device(const char *name, const volatile void *base, accrs_offset offset, accrs_size length);
/*
 * Sections that are not contiguous: one accrs_dimension a dimension, outermost first (lower bound
 * and length of the section, extent of the array's dimension, all in elements; the outermost
 * extent is not used), then the update with the size of an element.
 */
void accrs_dimension(accrs_offset lower, accrs_size length, accrs_size extent);
void accrs_update_host_section(const char *name, const volatile void *base, accrs_size element);
void accrs_update_device_section(const char *name, const volatile void *base, accrs_size element);

/*
 * Sections with device memory of their own, rows closed up, between alloc and free. Before each of
 * alloc, in and out: one accrs_dimension a dimension, as above (the outermost extent is 0 for what is
 * behind a pointer); none for a scalar. BASE is the same address in all of them. They follow an
 * accrs_at, happen on a GPU whatever the current device is, and first wait for kernels that
 * accrs_nowait left running on this host thread.
 */
void accrs_section_alloc(const char *name, const volatile void *base, accrs_size element); /* after accrs_zero: cleared */
void accrs_section_in(const char *name, const volatile void *base, accrs_size element);    /* host to device */
void accrs_section_out(const char *name, const volatile void *base, accrs_size element);   /* device to host */
void accrs_section_free(const char *name, const volatile void *base);

/*
 * A region of launches alone, on a GPU whatever the current device is; accrs_end ends it. It first
 * waits for kernels that accrs_nowait left running.
 */
void accrs_begin_kernel(const char *file, int line, const char *directive, const char *function);
void accrs_nowait(void); /* modifier of accrs_begin_kernel: accrs_end goes on without waiting */
void accrs_settle(void); /* waits for those kernels */
void accrs_settle_scope(char *scope); /* the same, where a block is left: for the cleanup attribute */

/*
 * Inside a compute region: the device's value of a scalar, after the launches so far, for a loop or
 * branch of the host around further ones.
 */
void accrs_read(const char *name, const volatile void *scalar, void *to, accrs_size length);

/* host_data use_device: the device's address of BASE; BASE itself where if_present allows it. */
void *accrs_use_device(const char *name, const volatile void *base);

/* Host execution of a compute construct: 1 where acc_device_host is the current device type. */
int accrs_on_host(void);

/*
 * Before main, of each file whose constructs have OpenMP's directives on the host: the host's cores are
 * a device of this program, on the emulation the one that it begins with.
 */
void accrs_multicore(void);
/* The program uses the host's memory on devices, too: nothing is copied. */
void accrs_unified(void);

/*
 * In builds of `accrs check --compare` alone: a construct that runs on the device or on the host, the
 * sections to compare after it, and its end. LAYOUT: the size of an element, then for each scalar in it
 * its offset, kind, size, count and member.
 */
void accrs_compare(const char *file, int line, const char *directive);
void accrs_compare_section(const char *name, const volatile void *base, accrs_offset offset, accrs_size length,
                           const char *layout);
void accrs_compare_end(void);

#define ACCRS_FUNCTION __extension__ __FUNCTION__ /* in C89, too */
#define accrs_begin(file, line, directive) accrs_begin(file, line, directive, ACCRS_FUNCTION)
#define accrs_begin_windows(file, line, directive, on_device) \
    accrs_begin_windows(file, line, directive, on_device, ACCRS_FUNCTION)
#define accrs_begin_kernel(file, line, directive) accrs_begin_kernel(file, line, directive, ACCRS_FUNCTION)
#define accrs_at(file, line, directive) accrs_at(file, line, directive, ACCRS_FUNCTION)

#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L
/*
 * Sections are computed as the program has their bounds, `n * sizeof(float)` with an int among them: its
 * -Wconversion is about its own expressions.
 */
#define ACCRS_SECTION(call) \
    __extension__({ \
        _Pragma("GCC diagnostic push") \
        _Pragma("GCC diagnostic ignored \"-Wconversion\"") \
        _Pragma("GCC diagnostic ignored \"-Wsign-conversion\"") \
        call; \
        _Pragma("GCC diagnostic pop") \
    })
#define accrs_rows(...) ACCRS_SECTION(accrs_rows(__VA_ARGS__))
#define accrs_copy(...) ACCRS_SECTION(accrs_copy(__VA_ARGS__))
#define accrs_copyin(...) ACCRS_SECTION(accrs_copyin(__VA_ARGS__))
#define accrs_constant(...) ACCRS_SECTION(accrs_constant(__VA_ARGS__))
#define accrs_copyout(...) ACCRS_SECTION(accrs_copyout(__VA_ARGS__))
#define accrs_create(...) ACCRS_SECTION(accrs_create(__VA_ARGS__))
#define accrs_present(...) ACCRS_SECTION(accrs_present(__VA_ARGS__))
#define accrs_no_create(...) ACCRS_SECTION(accrs_no_create(__VA_ARGS__))
#define accrs_implicit_copy(...) ACCRS_SECTION(accrs_implicit_copy(__VA_ARGS__))
#define accrs_implicit_copyin(...) ACCRS_SECTION(accrs_implicit_copyin(__VA_ARGS__))
#define accrs_enter_copyin(...) ACCRS_SECTION(accrs_enter_copyin(__VA_ARGS__))
#define accrs_enter_create(...) ACCRS_SECTION(accrs_enter_create(__VA_ARGS__))
#define accrs_exit_copyout(...) ACCRS_SECTION(accrs_exit_copyout(__VA_ARGS__))
#define accrs_exit_delete(...) ACCRS_SECTION(accrs_exit_delete(__VA_ARGS__))
#define accrs_program_data_add(...) ACCRS_SECTION(accrs_program_data_add(__VA_ARGS__))
#define accrs_update_host(...) ACCRS_SECTION(accrs_update_host(__VA_ARGS__))
#define accrs_update_device(...) ACCRS_SECTION(accrs_update_device(__VA_ARGS__))
#define accrs_dimension(...) ACCRS_SECTION(accrs_dimension(__VA_ARGS__))
#define accrs_update_host_section(...) ACCRS_SECTION(accrs_update_host_section(__VA_ARGS__))
#define accrs_update_device_section(...) ACCRS_SECTION(accrs_update_device_section(__VA_ARGS__))
#define accrs_section_alloc(...) ACCRS_SECTION(accrs_section_alloc(__VA_ARGS__))
#define accrs_section_in(...) ACCRS_SECTION(accrs_section_in(__VA_ARGS__))
#define accrs_section_out(...) ACCRS_SECTION(accrs_section_out(__VA_ARGS__))
#define accrs_read(...) ACCRS_SECTION(accrs_read(__VA_ARGS__))
#define accrs_compare_section(...) ACCRS_SECTION(accrs_compare_section(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif

#endif
