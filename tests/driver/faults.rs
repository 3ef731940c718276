//! What is wrong at run time ends the program with the directive, its line and the variable.

use std::process::Output;

use crate::{Folder, text};

/// Each case is one fault; none gets beyond it.
const FAULTS: &str = "\
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **arguments)
{
    int n = 1000, q = -5, *a = calloc(1000, sizeof *a), *big = calloc(2 << 20, sizeof *big);
    switch (count > 1 ? atoi(arguments[1]) : 0) {
    case 1:
#pragma acc parallel loop copy(big[0:2 << 20])
        for (int i = 0; i < n; i++)
            big[i] = 1;
        break;
    case 2: {
#pragma acc enter data copyin(big[0:2 << 20]) async(3)
        break;
    }
    case 3: {
#pragma acc enter data copyin(a[100:100])
#pragma acc parallel loop copy(a[0:150])
        for (int i = 0; i < 150; i++)
            a[i] = 1;
        break;
    }
    case 4: {
#pragma acc enter data copyin(a[100:100])
#pragma acc exit data copyout(a[150:100])
        break;
    }
    case 5: {
#pragma acc enter data copyin(a[100:100])
#pragma acc update self(a[150:100])
        break;
    }
    case 6:
#pragma acc parallel loop present(a[0:n])
        for (int i = 0; i < n; i++)
            a[i] = 1;
        break;
    case 7:
#pragma acc data present(a[0:n])
        a[0] = 3;
        break;
    case 8:
#pragma acc parallel loop copy(a[0:n]) async(q)
        for (int i = 0; i < n; i++)
            a[i] = 1;
        break;
    case 9: {
#pragma acc update self(a[0:n]) if_present async(q)
        break;
    }
    case 10: {
#pragma acc wait(q)
        break;
    }
    case 11: {
#pragma acc data copy(a[0:n])
        acc_unmap_data(a);
        break;
    }
    case 12:
        acc_unmap_data(a);
        break;
    case 13:
        acc_wait(q);
        break;
    case 14:
        acc_set_default_async(q);
        break;
    case 15: {
#pragma acc update device(a[0:n])
        break;
    }
    case 16:
        acc_free(big);
        break;
    case 17: {
        int *given = acc_malloc(400), *same = given;
        acc_free(given);
        acc_free(same);
        break;
    }
    case 18: {
#pragma acc enter data copyin(a[0:n])
        acc_free(acc_deviceptr(a));
        break;
    }
    case 19: {
        int *given = acc_malloc(400);
        acc_map_data(a, given, 400);
        acc_free(given);
        break;
    }
    case 20:
        acc_map_data(a, acc_malloc(400), 404);
        break;
    case 21:
        acc_map_data(a, big, 400);
        break;
    case 22:
        acc_copyin(a + 100, 400);
        acc_copyin(a, 600);
        break;
    case 23:
        acc_update_self(a, 400);
        break;
    case 24: {
#pragma acc enter data copyin(a[10:q])
        break;
    }
    case 25:
#pragma acc parallel loop deviceptr(a)
        for (int i = 0; i < n; i++)
            a[i] = 1;
        break;
    case 26: {
        int *given = acc_malloc(400);
#pragma acc enter data copyin(given[0:100])
        break;
    }
    case 27:
#pragma acc data copyin(a[0:n])
    {
        a = big;
#pragma acc parallel loop present(a[0:n])
        for (int i = 0; i < n; i++)
            a[i] = 1;
    }
        break;
    case 28:
        acc_memcpy_to_device(acc_malloc(400), a, 404);
        break;
    case 29:
        acc_memcpy_from_device(a, big, 400);
        break;
    case 30:
#pragma acc data copy(a[0:n])
    {
        acc_shutdown(acc_device_default);
#pragma acc parallel loop present(a[0:n])
        for (int i = 0; i < n; i++)
            a[i] = 1;
    }
        break;
    case 31:
#pragma acc parallel loop present(a)
        for (int i = 0; i < n; i++)
            a[i] = 1;
        break;
    case 32:
#pragma acc data present(a)
        a[0] = 3;
        break;
    case 33:
#pragma acc data create(a[0:((size_t)1 << 62) + 1])
        a[0] = 3;
        break;
    case 34: {
        long many = (1L << 62) + 1;
#pragma acc data create(a[0:many])
        a[0] = 3;
        break;
    }
    case 35: {
        long none = n - 1000;
#pragma acc parallel loop copy(a[0:none])
        for (int i = 0; i < n; i++)
            a[i] = 1;
        break;
    }
    }
    puts(\"went on\");
    return 0;
}
";

/// The case, and what is said of it.
const SAID: &[(u32, &str)] = &[
    (
        1,
        "main.c:9: parallel loop: no memory on the device for 'big[0:2 << 20]': 8388608 bytes wanted",
    ),
    (
        2,
        "main.c:14: enter data: no memory on the device for 'big[0:2 << 20]'",
    ),
    (
        3,
        "main.c:19: parallel loop: 'a[0:150]' is only partially present on the device: 600 bytes are asked for, present are 400 bytes from byte 400 on",
    ),
    (
        4,
        "main.c:26: exit data: 'a[150:100]' is only partially present",
    ),
    (
        5,
        "main.c:31: update: 'a[150:100]' is only partially present",
    ),
    (
        6,
        "main.c:35: parallel loop: 'a[0:n]' is not present on the device",
    ),
    (7, "main.c:40: data: 'a[0:n]' is not present on the device"),
    (8, "main.c:44: parallel loop: there is no queue -5"),
    (9, "main.c:49: update: there is no queue -5"),
    (10, "main.c:53: wait: there is no queue -5"),
    (
        11,
        "main.c:58: acc_unmap_data: 'a' is in use by a data region",
    ),
    (12, "main.c:62: acc_unmap_data: 'a' was not mapped"),
    (13, "main.c:65: acc_wait: there is no queue -5"),
    (14, "main.c:68: acc_set_default_async: there is no queue -5"),
    (
        15,
        "main.c:71: update: 'a[0:n]' is not present on the device",
    ),
    (
        16,
        "main.c:75: acc_free: 'big' is not memory of acc_malloc, or was freed before",
    ),
    (
        17,
        "main.c:80: acc_free: 'same' is not memory of acc_malloc, or was freed before",
    ),
    (
        18,
        "main.c:85: acc_free: 'acc_deviceptr(a)' is the copy of host data",
    ),
    (19, "main.c:91: acc_free: 'given' is mapped to host data"),
    (
        20,
        "main.c:95: acc_map_data: 'a' would be mapped to 404 bytes, of which there are 400",
    ),
    (
        21,
        "main.c:98: acc_map_data: 'a' would be mapped to host memory",
    ),
    (
        22,
        "main.c:102: acc_copyin: 'a' is only partially present on the device: 600 bytes are asked for, present are 400 bytes from byte 400 on",
    ),
    (
        23,
        "main.c:105: acc_update_self: 'a' is not present on the device",
    ),
    (
        24,
        "main.c:108: enter data: 'a[10:q]' has a negative length",
    ),
    (25, "main.c:112: parallel loop: 'a' is memory of the host"),
    (
        26,
        "main.c:118: enter data: 'given[0:100]' is device memory itself",
    ),
    (
        27,
        "main.c:125: parallel loop: 'a[0:n]' is not present on the device",
    ),
    (
        28,
        "main.c:131: acc_memcpy_to_device: 404 bytes are to be copied, and the destination has 400 from there on",
    ),
    (
        29,
        "main.c:134: acc_memcpy_from_device: the source is memory of the host",
    ),
    (
        30,
        "main.c:140: parallel loop: 'a[0:n]' is not present on the device",
    ),
    (
        31,
        "main.c:146: parallel loop: 'a' is not present on the device",
    ),
    (32, "main.c:151: data: 'a' is not present on the device"),
    (
        33,
        "main.c:155: data: 'a[0:((unsigned long)1 << 62) + 1]' has more bytes than there are addresses",
    ),
    (
        34,
        "main.c:160: data: 'a[0:many]' has more bytes than there are addresses",
    ),
    (
        35,
        "main.c:166: parallel loop: a kernel uses an element of 'a', of which the device has none",
    ),
];

fn run(folder: &Folder, case: u32, variables: &[(&str, &str)]) -> Output {
    let mut command = folder.command(folder.file("main"));
    command
        .arg(case.to_string())
        .envs(variables.iter().copied());
    command.output().unwrap()
}

#[test]
fn faults_end_the_program_where_they_are() {
    let folder = Folder::with(&[("main.c", FAULTS)]);
    folder.succeed("cc -o main main.c");
    for (case, message) in SAID {
        let output = run(&folder, *case, &[("ACCRS_EMULATED_MEMORY", "1")]);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(1), "case {case}: {said}");
        let line = format!("accrs: {message}");
        assert!(said.contains(&line), "case {case}: {message}\n{said}");
        assert!(!said.contains("went on"), "case {case}: {said}");
    }
    // The host as the device has no memory to run out of, and all of it is present.
    for case in [1, 2, 3, 4, 5, 6, 7, 11, 12, 15] {
        let output = run(&folder, case, &[("ACC_DEVICE_TYPE", "host")]);
        assert_eq!(text(&output), "went on\n", "case {case}");
    }
    for (case, message) in SAID.iter().filter(|(_, said)| said.contains("queue")) {
        let output = run(&folder, *case, &[("ACC_DEVICE_TYPE", "host")]);
        // A construct that the host runs uses no queue.
        let expected = if *case == 8 { "went on" } else { message };
        assert!(
            text(&output).contains(expected),
            "case {case}: {}",
            text(&output)
        );
    }
}

/// `exit data` of what was never entered: the standard asks for no action, and
/// nothing that is there may change.
const NEVER_ENTERED: &str = "\
#include <openacc.h>
#include <stdio.h>
int main(void)
{
    int a[10], b[10];
    for (int i = 0; i < 10; i++)
        a[i] = b[i] = i;
#pragma acc exit data copyout(a) delete(b)
#pragma acc exit data copyout(a) finalize
    acc_copyout(a, sizeof a);
    acc_delete_finalize(b, sizeof b);
#pragma acc enter data copyin(b)
#pragma acc exit data copyout(a)
#pragma acc parallel loop present(b)
    for (int i = 0; i < 10; i++)
        b[i] += a[i];
#pragma acc exit data copyout(b)
#pragma acc exit data copyout(b)
    printf(\"%d %d %d %d\\n\", a[9], b[9], acc_is_present(a, 1), acc_is_present(b, 1));
    return 0;
}
";

#[test]
fn exit_data_without_enter_changes_nothing() {
    let folder = Folder::with(&[("main.c", NEVER_ENTERED)]);
    folder.succeed("cc -o main main.c");
    let output = run(&folder, 0, &[]);
    assert_eq!(text(&output), "9 18 0 0\n");
}

/// Whatever `exit data` and the routines say, a region's data stays until its end.
const HELD: &str = "\
#include <openacc.h>
#include <stdio.h>
int main(void)
{
    int a[50] = {0};
#pragma acc data copy(a)
    {
        acc_copyin(a, sizeof a);
        acc_delete(a, sizeof a);
        acc_delete(a, sizeof a);
        acc_delete_finalize(a, sizeof a);
        acc_copyout_finalize(a, sizeof a);
#pragma acc exit data delete(a) finalize
#pragma acc parallel loop present(a)
        for (int i = 0; i < 50; i++)
            a[i] = i;
        printf(\"%d \", a[49]);
    }
    printf(\"%d %d\\n\", a[49], acc_is_present(a, 1));
    return 0;
}
";

#[test]
fn data_stays_while_a_region_holds_it() {
    let folder = Folder::with(&[("main.c", HELD)]);
    folder.succeed("cc -o main main.c");
    assert_eq!(text(&run(&folder, 0, &[])), "0 49 0\n");
}
