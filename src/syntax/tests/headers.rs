//! Real headers: what the system's own compiler makes of them must parse.

use std::io::Write;
use std::process::{Command, Stdio};

use super::parsed;

/// Preprocesses C with `cc` and takes out the lines that `source` takes out.
fn preprocessed(code: &str, flags: &[&str]) -> String {
    let mut child = Command::new("cc")
        .args(["-E", "-P", "-x", "c", "-"])
        .args(flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(code.as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "cc -E failed on {code}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| if line.starts_with('#') { "" } else { line })
        .collect::<Vec<_>>()
        .join("\n")
}

fn assert_headers_parse(headers: &[&str], flags: &[&str]) {
    for header in headers {
        let text = preprocessed(&format!("#include <{header}>\nint after;\n"), flags);
        let parsed = parsed(&text);
        assert_eq!(parsed.errors, Vec::<String>::new(), "{header}");
        assert!(parsed.tree.unwrap().ends_with("(declare (int) after)\n"));
    }
}

#[test]
fn the_standard_library() {
    assert_headers_parse(
        &[
            "assert.h",
            "complex.h",
            "ctype.h",
            "errno.h",
            "fenv.h",
            "float.h",
            "inttypes.h",
            "limits.h",
            "locale.h",
            "math.h",
            "setjmp.h",
            "signal.h",
            "stdalign.h",
            "stdarg.h",
            "stdatomic.h",
            "stdbool.h",
            "stddef.h",
            "stdint.h",
            "stdio.h",
            "stdlib.h",
            "stdnoreturn.h",
            "string.h",
            "tgmath.h",
            "time.h",
            "wchar.h",
            "wctype.h",
        ],
        &[],
    );
}

#[test]
fn posix() {
    assert_headers_parse(
        &[
            "pthread.h",
            "unistd.h",
            "sys/types.h",
            "sys/stat.h",
            "sys/mman.h",
            "sys/time.h",
            "sys/wait.h",
            "sys/socket.h",
            "sys/resource.h",
            "netinet/in.h",
            "arpa/inet.h",
            "netdb.h",
            "poll.h",
            "dlfcn.h",
            "dirent.h",
            "fcntl.h",
            "getopt.h",
            "glob.h",
            "regex.h",
            "sched.h",
            "semaphore.h",
            "termios.h",
        ],
        &["-D_GNU_SOURCE"],
    );
}

#[cfg(target_arch = "x86_64")]
#[test]
fn vector_intrinsics() {
    assert_headers_parse(&["immintrin.h"], &["-mavx512f"]);
}

/// Macros that expand to the extensions of the compiler.
#[test]
fn programs_that_use_library_macros() {
    let code = "
        #include <assert.h>
        #include <complex.h>
        #include <errno.h>
        #include <math.h>
        #include <stdarg.h>
        #include <stdatomic.h>
        #include <stddef.h>
        #include <stdio.h>
        #include <tgmath.h>
        struct pair { int a; double b[3]; };
        int sum(int n, ...) {
            va_list list;
            va_start(list, n);
            int total = 0;
            while (n-- > 0) total += va_arg(list, int);
            va_end(list);
            return total;
        }
        int main(void) {
            assert(sum(2, 1, 2) == 3);
            double complex z = 1.0 + 2.0 * I;
            float x = sqrt(2.0f) + cabs(z);
            atomic_int counter = ATOMIC_VAR_INIT(0);
            atomic_fetch_add(&counter, 1);
            size_t at = offsetof(struct pair, b[1]);
            if (errno == EINTR || isnan(x) || isinf(x) || signbit(x)) return 1;
            fprintf(stderr, \"%zu %p\\n\", at, NULL);
            return 0;
        }";
    let parsed = parsed(&preprocessed(code, &[]));
    assert_eq!(parsed.errors, Vec::<String>::new());
}
