//! Environment variables, errors and callbacks, chapters 4 and 5, as the runtime has them.

/// The events of `acc_event_t`, in its order, and when callbacks are called.
const EVENTS: &[(&str, &str)] = &[
    (
        "device_init_start device_init_end",
        "at the first use of each device, `acc_init` or `init`",
    ),
    (
        "device_shutdown_start device_shutdown_end",
        "`acc_shutdown`, `shutdown`: for each device that is in use",
    ),
    (
        "runtime_shutdown",
        "at the program's end; no callback is called after it",
    ),
    (
        "create delete",
        "a lifetime of data begins or ends, by `acc_map_data` and `acc_unmap_data` as well",
    ),
    (
        "alloc free",
        "device memory is taken from CUDA's pool or goes back to it, by `acc_malloc` and `acc_free` as well; memory for reductions and private arrays is not told",
    ),
    (
        "enter_data_start enter_data_end",
        "once for each data clause, not once for the directive; routines like `acc_copyin`",
    ),
    (
        "exit_data_start exit_data_end",
        "once for each clause of `exit data`, once at the end of a region; routines like `acc_copyout`",
    ),
    (
        "update_start update_end",
        "once for each variable of `update`; routines like `acc_update_self`",
    ),
    (
        "compute_construct_start compute_construct_end",
        "each compute construct that runs on a device",
    ),
    (
        "enqueue_launch_start enqueue_launch_end",
        "each launch; which kernel it is and its sizes are known at the end only, null and 0 before",
    ),
    (
        "enqueue_upload_start enqueue_upload_end",
        "each copy of data to the device; not the values of scalars, nor pointers that are attached",
    ),
    (
        "enqueue_download_start enqueue_download_end",
        "each copy of data to the host; not the results of reductions",
    ),
    (
        "wait_start wait_end",
        "for each queue that the host waits for by a `wait` directive, clause or routine; not where it waits for a synchronous construct",
    ),
    ("error", "each error, before the program ends"),
];

/// The codes of `acc_error_t`, in its order, and what they are told of.
const ERRORS: &[(&str, &str)] = &[
    ("none", "never"),
    (
        "other",
        "what the standard does not name, as windows that are too large",
    ),
    ("system", "never; CUDA's own failures are `execution`"),
    (
        "execution",
        "a launch, or a kernel as it ran; other failures of CUDA",
    ),
    ("device_init", "CUDA cannot use the device"),
    ("device_shutdown", "never"),
    (
        "device_unavailable",
        "a device number that there is not, in `ACC_DEVICE_NUM` as well",
    ),
    (
        "device_type_unavailable",
        "a type of which there is no device, in `ACC_DEVICE_TYPE` as well",
    ),
    (
        "wrong_device_type",
        "never: every construct is compiled for the device and for the host",
    ),
    (
        "out_of_memory",
        "device memory for data, private arrays or reductions",
    ),
    (
        "not_present",
        "`present`, `update`, `host_data`, arrays of unknown extent, `acc_update_*`, `acc_memcpy_d2d`; `exit data`, `acc_copyout` and `acc_delete` do nothing where the count is zero",
    ),
    ("partly_present", "all data clauses, `update`, routines"),
    (
        "present",
        "`acc_map_data` of data that is present, `acc_unmap_data` of data that a region holds",
    ),
    (
        "invalid_argument",
        "sizes, addresses of the wrong side, memory that is not `acc_malloc`'s",
    ),
    ("invalid_async", "a queue below 0 but the special values"),
    ("invalid_null_pointer", "clauses and routines"),
    ("invalid_data_section", "a section of negative length"),
    ("implementation_defined", "never"),
];

/// The tables as Markdown.
pub fn table() -> String {
    let mut out = String::from(
        "\n## Environment variables\n\n\
         `ACC_DEVICE_TYPE` (4.1) is `host`, `nvidia`, `gpu`, `emulated`, `not_host` or `default`,\n\
         `ACC_DEVICE_NUM` (4.2) the number of a device, `ACC_PROFLIB` (4.3) lists libraries with\n\
         `;` between them. Anything else is an error as a device is first used.\n\
         \n## Callbacks\n\n\
         `acc_callback.h`, and `acc_prof.h`, its name before 3.2, have all of chapter 5:\n\
         `acc_callback_register`, `acc_callback_unregister`, `acc_prof_register`,\n\
         `acc_prof_unregister` and `acc_prof_lookup`, which knows no names, as the standard has none.\n\
         Callbacks are called in their order, ends backwards; switched one by one, an event or all, and\n\
         a thread at a time; what they register or remove counts at once. A tool's\n\
         `acc_register_library` is called where it is linked, preloaded or named by `ACC_PROFLIB`.\n\
         \n| event `acc_ev_` | callbacks are called |\n|---|---|\n",
    );
    for (events, when) in EVENTS {
        out.push_str(&format!("| {} | {when} |\n", quoted(events)));
    }
    out.push_str(
        "\nNot known, and so null or 0: functions and their lines; an end's line is that of its start.\n\
         `implicit` is 1 for errors and for arrays without a clause whose extent the construct tells,\n\
         0 for all else, scalars without a clause among it.\n\
         \n| error `acc_error_` | what is told with it |\n|---|---|\n",
    );
    for (error, when) in ERRORS {
        out.push_str(&format!("| {} | {when} |\n", quoted(error)));
    }
    out
}

fn quoted(names: &str) -> String {
    let quoted: Vec<String> = names.split(' ').map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    const HEADER: &str = include_str!("../../../../runtime/include/acc_callback.h");

    /// The enumerators of the header that begin like this, without that.
    fn enumerators(prefix: &str) -> Vec<&str> {
        HEADER
            .lines()
            .filter_map(|line| line.trim().strip_prefix(prefix))
            .filter_map(|rest| rest.split([' ', ',']).next())
            .collect()
    }

    /// The page lists what the header has, neither more nor less.
    #[test]
    fn the_tables_are_those_of_the_header() {
        let mut events = enumerators("acc_ev_");
        events.retain(|name| !["none", "last"].contains(name));
        let listed = super::EVENTS.iter().flat_map(|(names, _)| names.split(' '));
        assert_eq!(listed.collect::<Vec<_>>(), events);
        let mut errors = enumerators("acc_error_");
        errors.retain(|name| !["t", "event_info"].contains(name) && !name.contains(';'));
        let listed = super::ERRORS.iter().map(|(name, _)| *name);
        assert_eq!(listed.collect::<Vec<_>>(), errors);
    }
}
