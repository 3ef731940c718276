//! What came after OpenACC 2.7, and how much of it is met: `_OPENACC` states
//! 3.3 where all is, else 2.7.

/// What is new, its section in OpenACC 3.3, and what is missing of it; nothing where it is met.
const SINCE_2_7: &[(&str, &str, &str)] = &[
    (
        "`if` on `init`, `shutdown`, `set` and `wait`",
        "2.14, 2.16.3",
        "",
    ),
    ("`zero` on `create` and `copyout`", "2.7.8, 2.7.9", ""),
    ("`wait(devnum: n: queues: list)`", "2.16", ""),
    ("`async`, `wait` and `device_type` on `data`", "2.6.5", ""),
    (
        "`default` on `data`, visible in the constructs inside",
        "2.6.2",
        "",
    ),
    (
        "variables of `reduction` are copied unless a clause says otherwise",
        "2.6.2",
        "",
    ),
    ("`reduction` of arrays and parts of them", "2.5.15", ""),
    (
        "`reduction` of composite variables, member by member",
        "2.5.15",
        "",
    ),
    (
        "`num_gangs` of up to three dimensions, `gang(dim: n)`",
        "2.5.10, 2.9.2",
        "",
    ),
    ("`collapse(force: n)`", "2.9.1", ""),
    ("loops that count with pointers", "2.9", ""),
    (
        "`worker` and `vector` routines share out their loops",
        "2.15.1",
        "",
    ),
    (
        "one copy of each control variable for each host thread",
        "2.3.1",
        "",
    ),
    ("`acc_wait_any`, `acc_wait_any_device`", "3.2.12", ""),
    ("`acc_memcpy_d2d`, `acc_memcpy_d2d_async`", "3.2.30", ""),
    (
        "`acc_init_device`, `acc_shutdown_device`, `acc_*_device` of waits",
        "3.2.7 to 3.2.11",
        "",
    ),
    (
        "errors with a code of their own, callbacks on them",
        "5.2.2",
        "",
    ),
];

/// The table as Markdown.
pub fn table() -> String {
    let mut out = String::from(
        "\n## The version\n\n\
         `_OPENACC` is 202211, that of OpenACC 3.3. What came after 2.7, whose number would be\n\
         stated if any of it were missing:\n\n\
         | new since 2.7 | section | |\n|---|---|---|\n",
    );
    for (what, section, missing) in SINCE_2_7 {
        let state = match *missing {
            "" => "met".to_owned(),
            missing => format!("not met: {missing}"),
        };
        out.push_str(&format!("| {what} | {section} | {state} |\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    /// The number is raised when nothing is missing any more, and then it must be.
    #[test]
    fn the_number_is_that_of_the_table() {
        let all_met = super::SINCE_2_7.iter().all(|row| row.2.is_empty());
        let number = if all_met { "202211" } else { "201811" };
        for source in [
            include_str!("../../../driver/build.rs"),
            include_str!("../../../source/preprocess.rs"),
            include_str!("../../../../templates/makefile.hbs"),
        ] {
            assert!(source.contains(&format!("-D_OPENACC={number}")));
        }
    }
}
