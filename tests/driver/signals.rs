//! Signals during a build: nothing stays, the status is 128 + n.

use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::{Folder, accrs};

/// A C compiler that takes its time and says when it has begun.
const SLOW: &str = "#!/bin/sh\nmktemp >/dev/null\necho begun >> \"$BEGUN\"\nsleep 30\n";

fn wait_for(file: &Path) {
    let start = Instant::now();
    while !file.exists() {
        assert!(start.elapsed() < Duration::from_secs(20), "nothing begun");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn send(signal: &str, child: &Child) {
    let status = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

#[test]
fn a_signal_during_the_build_leaves_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    for (signal, status) in [("-INT", 130), ("-TERM", 143)] {
        let folder = Folder::with(&[("a.c", "int a;\n"), ("slow", SLOW), ("tmp/.keep", "")]);
        std::fs::set_permissions(folder.file("slow"), std::fs::Permissions::from_mode(0o755))
            .unwrap();
        let mut command = folder.command(accrs());
        command
            .args(["cc", "-c", "a.c"])
            .env("ACCRS_CC", folder.file("slow"));
        command
            .env("TMPDIR", folder.file("tmp"))
            .env("BEGUN", folder.file("begun"));
        let mut child = command.spawn().unwrap();
        wait_for(&folder.file("begun"));
        let start = Instant::now();
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), Some(status));
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "waited for the compiler"
        );
        assert_eq!(folder.names(), ["a.c", "begun", "slow", "tmp"]);
    }
}

/// Whether a process runs whose command line has a text.
fn runs(text: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|one| std::fs::read(one.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(text))
}

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "not: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Compilers, what they have started, the program and temporary folders.
#[test]
fn nothing_outlives_a_killed_accrs() {
    use std::os::unix::fs::PermissionsExt as _;
    let slow = SLOW.replace("mktemp >/dev/null\n", "").replace(
        "sleep 30",
        "sh -c 'sleep 30; echo \"$1\"' sh \"$BEGUN\"; exit 0",
    );
    for file in [None, Some(WAITING)] {
        let files = [
            ("a.c", file.unwrap_or("int a;\n")),
            ("slow", &slow),
            ("tmp/.keep", ""),
        ];
        let folder = Folder::with(&files);
        let begun = folder.file("begun");
        std::fs::set_permissions(folder.file("slow"), std::fs::Permissions::from_mode(0o755))
            .unwrap();
        let mut command = folder.command(accrs());
        command
            .env("TMPDIR", folder.file("tmp"))
            .env("BEGUN", &begun);
        match file {
            Some(_) => command.args(["run", "a.c"]),
            None => command
                .args(["cc", "-c", "a.c"])
                .env("ACCRS_CC", folder.file("slow")),
        };
        let mut child = command.spawn().unwrap();
        wait_for(&begun);
        let mark = match file {
            Some(_) => folder.file("tmp"),
            None => begun,
        };
        let mark = mark.to_str().unwrap();
        wait_until("they run", || runs(mark));
        send("-KILL", &child);
        child.wait().unwrap();
        wait_until("the processes end", || !runs(mark));
        let folder = folder.file("tmp");
        wait_until("the folder goes", || crate::names(&folder) == [".keep"]);
    }
}

/// A program that waits after its kernel; it ignores SIGINT if told to.
const WAITING: &str = "\
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static void stop(int number) { (void)number; _exit(7); }
int main(int argc, char **argv)
{
    int n = 0;
    if (argc > 1)
        signal(SIGINT, stop);
#pragma acc parallel loop reduction(+:n)
    for (int i = 0; i < 10; i++)
        n++;
    fclose(fopen(\"begun\", \"w\"));
    sleep(30);
    return argv[0] == 0;
}
";

#[test]
fn a_signal_during_the_run_reaches_the_program() {
    for (signal, arguments, status) in [
        ("-INT", &["run", "a.c"][..], 130),
        ("-TERM", &["run", "a.c"], 143),
        ("-INT", &["run", "a.c", "--", "x"], 7),
    ] {
        let folder = Folder::with(&[("a.c", WAITING), ("tmp/.keep", "")]);
        let mut command = folder.command(accrs());
        command.args(arguments).env("TMPDIR", folder.file("tmp"));
        let mut child = command.spawn().unwrap();
        wait_for(&folder.file("begun"));
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), Some(status), "{arguments:?}");
        assert_eq!(crate::names(&folder.file("tmp")), [".keep"]);
    }
}
