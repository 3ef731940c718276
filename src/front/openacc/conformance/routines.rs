//! The runtime library of chapter 3, as `runtime/include/openacc.h` has it.

/// The routines of C, with the section that describes them.
const ROUTINES: &[(&str, &str)] = &[
    ("3.2.1", "acc_get_num_devices"),
    ("3.2.2", "acc_set_device_type"),
    ("3.2.3", "acc_get_device_type"),
    ("3.2.4", "acc_set_device_num"),
    ("3.2.5", "acc_get_device_num"),
    ("3.2.6", "acc_get_property acc_get_property_string"),
    ("3.2.7", "acc_init acc_init_device"),
    ("3.2.8", "acc_shutdown acc_shutdown_device"),
    (
        "3.2.9",
        "acc_async_test acc_async_test_device acc_async_test_all acc_async_test_all_device",
    ),
    (
        "3.2.10",
        "acc_wait acc_wait_device acc_wait_all acc_wait_all_device",
    ),
    (
        "3.2.11",
        "acc_wait_async acc_wait_device_async acc_wait_all_async acc_wait_all_device_async",
    ),
    ("3.2.12", "acc_wait_any acc_wait_any_device"),
    ("3.2.13", "acc_get_default_async"),
    ("3.2.14", "acc_set_default_async"),
    ("3.2.15", "acc_on_device"),
    ("3.2.16", "acc_malloc"),
    ("3.2.17", "acc_free"),
    (
        "3.2.18",
        "acc_copyin acc_copyin_async acc_create acc_create_async acc_pcopyin acc_present_or_copyin acc_pcreate acc_present_or_create",
    ),
    (
        "3.2.19",
        "acc_copyout acc_copyout_async acc_copyout_finalize acc_copyout_finalize_async acc_delete acc_delete_async acc_delete_finalize acc_delete_finalize_async",
    ),
    (
        "3.2.20",
        "acc_update_device acc_update_device_async acc_update_self acc_update_self_async",
    ),
    ("3.2.21", "acc_map_data"),
    ("3.2.22", "acc_unmap_data"),
    ("3.2.23", "acc_deviceptr"),
    ("3.2.24", "acc_hostptr"),
    ("3.2.25", "acc_is_present"),
    ("3.2.26", "acc_memcpy_to_device acc_memcpy_to_device_async"),
    (
        "3.2.27",
        "acc_memcpy_from_device acc_memcpy_from_device_async",
    ),
    ("3.2.28", "acc_memcpy_device acc_memcpy_device_async"),
    (
        "3.2.29",
        "acc_attach acc_attach_async acc_detach acc_detach_async acc_detach_finalize acc_detach_finalize_async",
    ),
    ("3.2.30", "acc_memcpy_d2d acc_memcpy_d2d_async"),
];

/// What the header declares beside: names of OpenACC 1.0, and CUDA's streams and the error routine as other compilers
/// give them.
const BESIDE: &str = "acc_async_wait acc_async_wait_all acc_get_cuda_stream acc_set_error_routine";

/// The table as Markdown.
pub fn table() -> String {
    let mut out = String::from(
        "\n## The runtime library\n\n\
         Every routine of chapter 3 for C; `openacc.h` declares just these and, beside,\n",
    );
    out.push_str(&format!("{}.\n\n", quoted(BESIDE)));
    out.push_str("| routines | section | emulation | GPU |\n|---|---|---|---|\n");
    for (section, names) in ROUTINES {
        out.push_str(&format!(
            "| {} | {section} | accepted | accepted |\n",
            quoted(names)
        ));
    }
    out
}

fn quoted(names: &str) -> String {
    let quoted: Vec<String> = names
        .split_whitespace()
        .map(|name| format!("`{name}`"))
        .collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    /// The page lists what the header declares, neither more nor less.
    #[test]
    fn the_table_is_that_of_the_header() {
        let header = include_str!("../../../../runtime/include/openacc.h");
        let declared: BTreeSet<&str> = header
            .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '(')
            .filter_map(|word| word.split_once('(').map(|(name, _)| name))
            .filter(|name| name.starts_with("acc_"))
            .collect();
        let listed: BTreeSet<&str> = super::ROUTINES
            .iter()
            .flat_map(|(_, names)| names.split_whitespace())
            .chain(super::BESIDE.split_whitespace())
            .collect();
        assert_eq!(listed, declared);
    }
}
