//! The runtime library of OpenACC, chapters 3 to 5: every routine in its edge cases, every error
//! that it can have, the callbacks, and its own tests.

use std::path::Path;
use std::process::Command;

use crate::{Folder, text};

/// Builds a program of `runtime/` and runs it; what it prints to standard output.
fn printed(program: &str, variables: &[(&str, &str)]) -> String {
    let folder = Folder::with(&[("main.c", program)]);
    folder.succeed("cc -O1 -pthread -o main main.c");
    let mut command = folder.command(folder.file("main"));
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn routines_do_at_their_limits_what_the_standard_says() {
    for devices in ["1", "3"] {
        let variables = [("ACCRS_EMULATED_DEVICES", devices)];
        let said = printed(include_str!("runtime/routines.c"), &variables);
        assert_eq!(said, "good\n", "{devices} devices");
    }
}

#[test]
fn callbacks_are_told_of_every_error() {
    for devices in ["1", "3"] {
        let variables = [("ACCRS_EMULATED_DEVICES", devices)];
        let said = printed(include_str!("runtime/errors.c"), &variables);
        assert_eq!(said, "all told\n", "{devices} devices");
    }
}

/// What each part of `callbacks.c` must say.
const CALLED: &str = "\
init: asked
ends backwards: ABCCBA
again is last: BCACBA
B off: CACBA
B on, in its place: BCACBA
ends off: BCA
ends on, not A: BCACB
all off: 
all on, A anew: BCAACB
none: 
C is added, B removed: A+-C+A
then: ACCA
enabled on the way: *B
tools: 122=1=
launch: 1launch 1 0 641=
waits: 3 -2 3 
data: b pointer[0:10]! pointer[0:10]! b b b 
";

#[test]
fn callbacks_are_called_in_their_order() {
    assert_eq!(printed(include_str!("runtime/callbacks.c"), &[]), CALLED);
}

#[test]
fn threads_use_devices_and_callbacks_at_one_time() {
    for devices in ["1", "3", "8"] {
        let variables = [("ACCRS_EMULATED_DEVICES", devices)];
        let said = printed(include_str!("runtime/threads.c"), &variables);
        assert_eq!(said, "0 wrong, 0 left, told\n", "{devices} devices");
    }
}

#[test]
fn handlers_of_exit_use_the_device_whoever_ends_the_program() {
    let folder = Folder::with(&[("main.c", include_str!("runtime/exit_handlers.c"))]);
    folder.succeed("cc -O1 -fopenmp -o main main.c");
    let ended = "9 499500, device 1, queue 4\n";
    let run = |arguments: &[&str]| {
        let mut command = folder.command(folder.file("main"));
        command.args(arguments).env("ACCRS_EMULATED_DEVICES", "2");
        command.output().unwrap()
    };
    assert_eq!(text(&run(&[])), ended);
    for _ in 0..10 {
        let output = run(&["fault"]);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(String::from_utf8_lossy(&output.stdout), ended);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            said.matches("is not present on the device").count(),
            1,
            "{said}"
        );
    }
}

#[test]
fn blanks_and_capitals_in_the_environment_mean_nothing() {
    let program = "\
#include <openacc.h>
#include <stdio.h>
int main(void)
{
    printf(\"%d %d\\n\", acc_get_device_type() == acc_device_host, acc_get_device_num(acc_device_nvidia));
    return 0;
}
";
    let of = |kind, number| {
        let variables = [
            ("ACCRS_EMULATED_DEVICES", "3"),
            ("ACC_DEVICE_TYPE", kind),
            ("ACC_DEVICE_NUM", number),
        ];
        printed(program, &variables)
    };
    assert_eq!(of(" NVidia\t", " 2 "), "0 2\n");
    assert_eq!(of("\tHost ", ""), "1 0\n");
}

#[test]
fn the_runtime_passes_its_own_tests() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/tests/run.sh");
    let output = Command::new("sh").arg(script).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}
