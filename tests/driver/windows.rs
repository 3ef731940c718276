//! Windows whose size only the launch knows: what does not fit ends the program with an error that
//! names the place.

use crate::{Folder, text};

/// Threads of a block, then how far its window reaches before and after.
const OPEN: &str = "\
#include <stdio.h>
#include <stdlib.h>
static float a[4096], b[4096];
static void smooth(int n, long threads, long before, long after)
{
    #pragma acc parallel loop vector_length(threads) copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[i:before:after + 1])
        b[i] = a[i] + (i + 1 < n ? a[i + 1] : 0);
    }
}
int main(int count, char **arguments)
{
    for (int i = 0; i < 4096; i++)
        a[i] = i;
    smooth(4096, atol(arguments[1]), atol(arguments[2]), atol(arguments[3]));
    printf(\"%.0f %.0f\\n\", b[0], b[4095]);
    return count != 4;
}
";

/// Runs the program on an emulated device with 227 KB of shared memory a block.
#[test]
fn sizes_that_no_block_can_have_are_errors_at_the_launch() {
    let folder = Folder::with(&[("main.c", OPEN)]);
    folder.succeed("cc -o main main.c");
    let said = |arguments: &str| {
        let mut command = folder.command(folder.file("main"));
        let output = command.args(arguments.split(' ')).output().unwrap();
        let status = i32::from(!arguments.starts_with("64 1 0"));
        assert_eq!(output.status.code(), Some(status), "{}", text(&output));
        text(&output)
    };
    let window = "accrs: main.c:6: parallel loop: the window 'a[i:before:after + 1]' reaches";
    let block = "accrs: main.c:6: parallel loop: the block that shares windows here would be";
    assert!(said("64 1 0").contains("1 4095"));
    for (arguments, wanted) in [
        ("64 -3 0", format!("{window} -3 elements before its pivot")),
        ("64 1 -3", format!("{window} -2 elements after its pivot")),
        (
            "64 1 4294967296",
            format!("{window} 4294967297 elements after its pivot, a block of this device has 232448 bytes"),
        ),
        ("0 1 1", format!("{block} 0 x 1 x 1")),
        (
            "2048 1 1",
            format!("{block} 2048 x 1 x 1, a block of this kernel has at most 1024 threads"),
        ),
        ("4294967328 1 1", format!("{block} 4294967328 x 1 x 1")),
        (
            "64 20000 40000",
            "accrs: main.c:6: parallel loop: the windows of this kernel need 240260 bytes of shared \
             memory, a block of this device has 232448"
                .to_string(),
        ),
    ] {
        let said = said(arguments);
        assert!(said.contains(&wanted), "{arguments}: {said}");
        assert!(said.contains("accrs: help: "), "{said}");
    }
}
