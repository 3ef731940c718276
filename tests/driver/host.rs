//! The host as the device: `ACC_DEVICE_TYPE=host` and its relatives.

use crate::{Folder, text};

/// What the API says of the host, and what constructs do there.
const PROGRAM: &str = "\
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
static int on_device(int x)
{
    return x + 1000;
}
#pragma acc routine seq bind(on_device)
static int shift(int x)
{
    return x + 1;
}
static int b[4];
static void run(const char *name)
{
    int a[4] = {1, 2, 3, 4}, c[4] = {5, 5, 5, 5}, where = -1, *p = malloc(sizeof *p), *q;
#pragma acc enter data copyin(a)
    a[0] = 10;
#pragma acc parallel loop present(a) async(3)
    for (int i = 0; i < 4; i++)
        a[i] = shift(a[i]);
#pragma acc serial copyout(where) wait(3)
    where = acc_on_device(acc_device_host);
    printf(\"%s: %d %d, on the host %d, present %d, same %d, done %d; \", name, a[0], a[3], where,
           acc_is_present(c, sizeof c), acc_deviceptr(a) == a && acc_hostptr(a) == a, acc_async_test_all());
    c[1] = 6;
#pragma acc host_data use_device(a)
    q = a;
#pragma acc exit data copyout(a) finalize
    printf(\"%d %d\\n\", q == a, a[0]);
    free(p);
}
int main(void)
{
    run(\"first\");
    printf(\"%d %d\\n\", acc_get_device_type() == acc_device_host, acc_get_num_devices(acc_device_host));
    acc_set_device_type(acc_device_nvidia);
    run(\"nvidia\");
#pragma acc set device_type(host)
    run(\"host\");
    int *d = acc_malloc(sizeof *d);
    *d = 3;
    acc_memcpy_to_device(d, b, sizeof *d);
    acc_memcpy_from_device(b + 1, d, sizeof *d);
    acc_wait_all();
    acc_wait_async(1, 2);
#pragma acc wait(2) async(4)
    printf(\"%d %d %d\\n\", *d, acc_get_device_num(acc_device_host), acc_async_test(7));
    acc_free(d);
    acc_set_device_num(0, acc_device_default);
    run(\"default\");
    return 0;
}
";

const HOST: &str = "11 5, on the host 1, present 1, same 1, done 1; 1 11\n";
const DEVICE: &str = "10 4, on the host 0, present 0, same 0, done 1; 0 1001\n";

#[test]
fn constructs_run_where_the_device_type_says() {
    let folder = Folder::with(&[("main.c", PROGRAM)]);
    folder.succeed("cc -o main main.c");
    for (variable, own, type_line) in [("host", HOST, "1 1"), ("nvidia", DEVICE, "0 1")] {
        let mut command = folder.command(folder.file("main"));
        let output = command.env("ACC_DEVICE_TYPE", variable).output().unwrap();
        let expected =
            format!("first: {own}{type_line}\nnvidia: {DEVICE}host: {HOST}0 0 1\ndefault: {own}");
        assert_eq!(text(&output), expected, "{variable}");
    }
}

/// Warnings about what a construct leaves unused, or pragmas in its text.
#[test]
fn the_text_for_the_host_brings_no_warnings() {
    let program = "\
int sum(int n, const int *a)
{
    int total = 0;
#pragma acc parallel copyin(a[0:n]) copy(total)
    {
#pragma acc loop gang reduction(+:total)
        for (int i = 0; i < n; i++) {
            int part = 0;
#pragma acc loop vector \\
            reduction(+:part)
            for (int j = 0; j < i; j++)
                part += a[j];
#pragma acc atomic update
            total += part;
        }
    }
    return total;
}
";
    let folder = Folder::with(&[("sum.c", program)]);
    let output = folder.accrs("cc -Wall -Wextra -Werror -c sum.c");
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(text(&output), "");
}

/// A fault in the text for the host is shown where the user wrote it.
#[test]
fn lines_are_those_of_the_source() {
    let program = "\
#include <stdio.h>
int main(void)
{
    int lines[3];
#pragma acc parallel copyout(lines)
#pragma acc loop \\
    seq
    for (int i = 0; i < 1; i++) {
        lines[0] = __LINE__;
#pragma acc loop \\
    seq
        for (int j = 0; j < 1; j++)
            lines[1] = __LINE__;
        lines[2] = __LINE__;
    }
    printf(\"%d %d %d %d\\n\", lines[0], lines[1], lines[2], __LINE__);
#line 500 \"main.y\"
#pragma acc parallel copyout(lines)
    for (int i = 0; i < 3; i++)
        lines[i] = __LINE__ + (int)sizeof(__FILE__);
    printf(\"%d %s\\n\", lines[1], __FILE__);
    return 0;
}
";
    let folder = Folder::with(&[("main.c", program)]);
    folder.succeed("cc -o main main.c");
    let mut command = folder.command(folder.file("main"));
    let output = command.env("ACC_DEVICE_TYPE", "host").output().unwrap();
    assert_eq!(text(&output), "9 13 14 16\n509 main.y\n");
}
