//! The profiling and error callback interface.

use crate::{Folder, text};

/// Prints each event: its number, line, name and bytes.
const TOOL: &str = "\
#include <acc_prof.h>
#include <stdio.h>
static void note(acc_prof_info *place, acc_event_info *event, acc_api_info *api)
{
    const char *name = \"-\";
    size_t size = 0;
    acc_event_t type = event->event_type;
    if ((type >= acc_ev_create && type <= acc_ev_free) || (type >= acc_ev_enqueue_upload_start && type <= acc_ev_enqueue_download_end)) {
        name = event->data_event.var_name;
        size = event->data_event.bytes;
    } else if (type == acc_ev_enqueue_launch_end) {
        name = event->launch_event.kernel_name;
        size = event->launch_event.vector_length;
    }
    printf(\"%d:%d %s %zu %d %d\\n\", type, place->line_no, name, size, event->other_event.parent_construct,
           place->event_type == type && api->valid_bytes == sizeof *api && place->version == 202211);
}
void acc_register_library(acc_prof_reg reg, acc_prof_reg unreg, acc_prof_lookup_func lookup)
{
    (void)unreg;
    if (lookup(\"acc_none\") != NULL)
        puts(\"found\");
    for (int event = 1; event <= acc_ev_wait_end; event++)
        reg((acc_event_t)event, note, acc_reg);
}
";

const PROGRAM: &str = "\
int main(void)
{
    int a[8], b[8], n = 8;
    for (int i = 0; i < n; i++)
        a[i] = i;
#pragma acc data copyin(a)
    {
#pragma acc parallel loop vector_length(32) copyout(b) async(1)
        for (int i = 0; i < n; i++)
            b[i] = 2 * a[i];
#pragma acc wait(1)
#pragma acc update device(a[0:2])
    }
    return b[7] != 14;
}
";

/// Event, line, name, bytes or threads, construct.
const EVENTS: &str = "\
1:6 - 0 3 1
2:6 - 0 3 1
10:6 - 0 3 1
8:6 a 32 3 1
6:6 a 32 3 1
20:6 a 32 3 1
21:6 a 32 3 1
11:6 - 0 3 1
16:8 - 0 0 1
10:8 - 0 0 1
8:8 b 32 0 1
6:8 b 32 0 1
11:8 - 0 0 1
18:8 - 0 0 1
19:8 main_kernel 32 0 1
12:8 - 0 0 1
22:8 b 32 0 1
23:8 b 32 0 1
7:8 b 32 0 1
9:8 b 32 0 1
13:8 - 0 0 1
17:8 - 0 0 1
24:11 - 0 14 1
25:11 - 0 14 1
14:12 - 0 12 1
20:12 a[0:2] 8 12 1
21:12 a[0:2] 8 12 1
15:12 - 0 12 1
12:6 - 0 3 1
7:6 a 32 3 1
9:6 a 32 3 1
13:6 - 0 3 1
5:0 - 0 15 1
";

#[test]
fn a_tool_that_is_linked_sees_what_happens() {
    let folder = Folder::with(&[("main.c", PROGRAM), ("tool.c", TOOL)]);
    folder.succeed("cc -o main main.c tool.c");
    let output = folder.command(folder.file("main")).output().unwrap();
    assert_eq!(text(&output), EVENTS);
}

#[test]
fn a_tool_is_loaded_by_the_environment() {
    let folder = Folder::with(&[("main.c", PROGRAM), ("tool.c", TOOL)]);
    folder.succeed("cc -o main main.c");
    folder.succeed("cc -fPIC -c -o tool.o tool.c");
    folder.run("gcc", &["-shared", "-o", "libtool.so", "tool.o"]);
    let mut command = folder.command(folder.file("main"));
    command.env("ACC_PROFLIB", folder.file("libtool.so"));
    assert_eq!(text(&command.output().unwrap()), EVENTS);
    let mut command = folder.command(folder.file("main"));
    command.env("ACC_PROFLIB", "no-such-tool.so");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output).contains("ACC_PROFLIB: no-such-tool.so"),
        "{}",
        text(&output)
    );
}

const CALLBACKS: &str = "\
#include <acc_prof.h>
#include <stdio.h>
static int launches;
static void count(acc_prof_info *place, acc_event_info *event, acc_api_info *api)
{
    (void)place, (void)event, (void)api;
    launches++;
}
static void run(void)
{
    int a[4];
#pragma acc parallel loop copyout(a)
    for (int i = 0; i < 4; i++)
        a[i] = i;
    printf(\"%d%c\", launches, a[3] == 3 ? ' ' : '!');
}
int main(void)
{
    acc_prof_register(acc_ev_enqueue_launch_start, count, acc_reg);
    run();
    acc_prof_register(acc_ev_enqueue_launch_start, count, acc_reg);
    run();
    acc_prof_unregister(acc_ev_enqueue_launch_start, count, acc_toggle);
    run();
    acc_prof_register(acc_ev_enqueue_launch_start, count, acc_toggle);
    run();
    acc_prof_unregister(acc_ev_none, NULL, acc_toggle);
    run();
    acc_prof_register(acc_ev_none, NULL, acc_toggle);
    acc_prof_unregister(acc_ev_none, NULL, acc_toggle_per_thread);
    run();
    acc_prof_register(acc_ev_none, NULL, acc_toggle_per_thread);
    acc_prof_unregister(acc_ev_enqueue_launch_start, count, acc_reg);
    run();
    acc_prof_unregister(acc_ev_enqueue_launch_start, count, acc_reg);
    run();
    return 0;
}
";

#[test]
fn callbacks_are_counted_and_toggled() {
    let folder = Folder::with(&[("main.c", CALLBACKS)]);
    let output = folder.accrs("run main.c");
    assert_eq!(text(&output), "1 2 2 3 3 3 4 4 ");
}

const ERRORS: &str = "\
#include <acc_prof.h>
#include <stdio.h>
#include <stdlib.h>
static void event(acc_prof_info *place, acc_event_info *event, acc_api_info *api)
{
    (void)api;
    fprintf(stderr, \"event %d at %s:%d: %s\\n\", event->error_event.error_code == acc_error_not_present, place->src_file,
            place->line_no, event->error_event.error_message);
}
static void routine(char *message)
{
    fprintf(stderr, \"routine: %s\\n\", message);
    exit(7);
}
int main(int count, char **arguments)
{
    int a[4];
    (void)arguments;
    acc_prof_register(acc_ev_error, event, acc_reg);
    if (count > 1)
        acc_set_error_routine(routine);
#pragma acc update self(a)
    return a[0];
}
";

#[test]
fn errors_are_told_before_the_program_ends() {
    let folder = Folder::with(&[("main.c", ERRORS)]);
    folder.succeed("cc -o main main.c");
    let message = "'a' is not present on the device";
    let event = format!("event 1 at main.c:22: {message}\n");
    let output = folder.command(folder.file("main")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = format!("{event}accrs: main.c:22: update: {message}\n");
    assert!(text(&output).starts_with(&said), "{}", text(&output));
    let output = folder
        .command(folder.file("main"))
        .arg("x")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(7));
    let both = format!("{event}routine: {message}\n");
    assert_eq!(text(&output), both);
}
