//! The host's cores as the device: OpenMP's directives in the text, and what programs do with them.

use super::bench::{PLAIN, with};
use super::{Folder, text};

/// Loops of each kind, and what the host's text has before them.
const PROGRAM: &str = "\
#include <openacc.h>
#include <stdio.h>
#define SHARED _Pragma(\"acc parallel loop\")
static int count;
#pragma acc routine seq
static int next(int i)
{
    int before;
    #pragma acc atomic capture
    { before = count; count += i; }
    return before - before + i;
}
#pragma acc declare copyin(count)
static void fill(int n, int *restrict a, const int *b, int *c, double *h)
{
    int t, last = 0;
    double sum = 0, most = 0;
    #pragma acc parallel loop copyout(a[0:n]) copyin(b[0:n]) copy(last)
    for (int i = 0; i < n; i++) {
        t = b[i];
        last = i;
        a[i] = t * next(1);
    }
    #pragma acc parallel loop gang copyin(b[0:n]) copy(h[0:8])
    for (int i = 0; i < n; i++) {
        double part = 0;
        #pragma acc loop vector reduction(+:part)
        for (int j = 0; j < 10; j++)
            part += b[i] * j;
        #pragma acc atomic
        h[i % 8] += part;
    }
    #pragma acc kernels copy(a[0:n], c[0:n]) copyin(b[0:n])
    {
        for (int i = 0; i < n; i++)
            sum += b[i];
        for (int i = 1; i < n; i++)
            a[i] += a[i - 1];
        for (int i = 0; i < n; i++)
            c[i] = b[i];
        for (int i = 0; i < n; i++)
            if (b[i] > most) most = b[i];
    }
    SHARED
    for (int i = 0; i < n; i++)
        a[i]++;
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i != n; i += 2)
        a[i]--;
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < most; i++)
        a[i]++;
    #pragma acc parallel loop copy(a[0:n])
    for (size_t i = 0; i < 0; i++)
        a[i] = 0;
    printf(\"%d %g %g\\n\", last, sum, most);
}
int main(void)
{
    int a[100], b[100], c[100], is_host = 0, sum = 0;
    double h[8] = {0};
    for (int i = 0; i < 100; i++)
        b[i] = i % 13;
    fill(100, a, b, c, h);
    #pragma acc parallel copyout(is_host)
    is_host = acc_on_device(acc_device_host);
    for (int i = 0; i < 100; i++)
        sum += a[i] - c[i];
    #pragma acc update self(count)
    printf(\"%d %g %d, %s %d\\n\", sum, h[3], count,
           acc_get_device_type() == acc_device_host ? \"host\" : \"other\", is_host);
    return 0;
}
";

/// What one core computes.
const EXPECTED: &str = "99 582 12\n28356 3510 100, host 1\n";

/// No device runs constructs: nothing is copied, and there are no blocks.
#[test]
fn builds_for_cores_alone_tell_of_loops_alone() {
    let program = "void f(int n, float *restrict a)\n{\n    for (int t = 0; t < 10; t++) {\n        \
                   #pragma acc parallel loop copy(a[0:n])\n        for (int i = 0; i < n; i++)\n            \
                   a[i] *= 2;\n    }\n}\n";
    let folder = Folder::with(&[("f.c", program)]);
    let said = text(&folder.accrs("cc -acc=multicore -Minfo=accel -c f.c"));
    let notes: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("note: "))
        .collect();
    let shared = "f.c:5:9: note: the host's cores share this loop: a `loop` of a `parallel` construct \
                  is independent [A0500]";
    assert_eq!(notes, [shared], "{said}");
}

#[test]
fn constructs_have_directives_of_openmp() {
    let folder = Folder::with(&[("f.c", PROGRAM)]);
    let said = text(&folder.accrs("translate --multicore --feedback f.c"));
    let own = folder.read("f.acc.c");
    let lines: Vec<&str> = own.lines().map(str::trim).collect();
    for (directive, next) in [
        (
            "#pragma omp atomic capture",
            "{ before = count; count += i; }",
        ),
        (
            "#pragma omp parallel for private(t) firstprivate(last) lastprivate(last)",
            "for (int i = 0; i < n; i++) {",
        ),
        (
            "#pragma omp simd reduction(+: part)",
            "for (int j = 0; j < 10; j++)",
        ),
        ("#pragma omp atomic update", "h[i % 8] += part;"),
        (
            "#pragma omp parallel for simd reduction(+: sum)",
            "for (int i = 0; i < n; i++)",
        ),
        (
            "#pragma omp parallel for reduction(accrs_max: most)",
            "for (int i = 0; i < n; i++)",
        ),
        (
            "#pragma omp parallel for simd",
            "for (int i = 0; i < n; i++)",
        ),
    ] {
        let found = lines.windows(2).any(|pair| pair == [directive, next]);
        assert!(found, "{directive}: {own}");
    }
    assert_eq!(own.matches("omp parallel for").count(), 5, "{own}");
    for reason in [
        "`c` and `b` may overlap, at which only launches look",
        "OpenMP has no loop with `!=` that does not count by one",
        "OpenMP has no loop whose bound is a floating point number",
        "its condition is the same for all values of its variable",
    ] {
        assert!(said.contains(reason), "{said}");
    }
    let plain = Folder::with(&[("f.c", PROGRAM)]);
    plain.succeed("translate f.c");
    assert!(!plain.read("f.acc.c").contains("omp"));
}

/// Rows that share elements are one core's.
#[test]
fn loops_over_rows_look_at_their_length() {
    let program = "#include <stdio.h>\n#include <string.h>\n\
        static void serial(int rows, int columns, int pitch, int *a)\n{\n\
        for (int i = 0; i < rows; i++)\nfor (int j = 0; j < columns; j++)\n\
        a[i * pitch + j] = a[i * pitch + j] * 3 + i;\n}\n\
        static void shared(int rows, int columns, int pitch, int *a)\n{\n\
        #pragma acc kernels copy(a[0:500])\n\
        for (int i = 0; i < rows; i++)\nfor (int j = 0; j < columns; j++)\n\
        a[i * pitch + j] = a[i * pitch + j] * 3 + i;\n}\n\
        int main(void)\n{\nfor (int columns = 5; columns < 40; columns += 17) {\n\
        int a[500] = {1}, b[500] = {1};\nserial(20, columns, 22, a);\nshared(20, columns, 22, b);\n\
        printf(\"%d\", memcmp(a, b, sizeof a) == 0 && a[450] != 0 == columns > 22);\n}\n}\n";
    let folder = Folder::with(&[("f.c", program)]);
    folder.succeed("translate --multicore f.c");
    let own = folder.read("f.acc.c");
    let condition = "#pragma omp parallel for if(pitch >= columns)";
    assert!(own.contains(condition), "{own}");
    for device in ["multicore", "emulated"] {
        let said = folder.succeed(&format!("run --device {device} f.c"));
        assert_eq!(said, "111", "{device}");
    }
}

#[test]
fn programs_run_on_the_cores_and_say_what_they_lack() {
    let folder = Folder::with(&[("f.c", PROGRAM)]);
    assert_eq!(folder.succeed("run --device multicore f.c"), EXPECTED);
    // One program has both; the variable chooses.
    folder.succeed("cc -O2 -acc=multicore -c f.c");
    folder.succeed("cc f.o -o both");
    let run = |device: &str| {
        let mut command = folder.command(folder.file("both"));
        command.env("ACC_DEVICE_TYPE", device).output().unwrap()
    };
    for device in ["multicore", "host", "default"] {
        assert_eq!(text(&run(device)), EXPECTED, "{device}");
    }
    let emulated = EXPECTED.replace("host 1", "other 0");
    assert_eq!(text(&run("emulated")), emulated);
    folder.succeed("cc --device=emulated f.c -o one");
    let mut command = folder.command(folder.file("one"));
    let output = command.env("ACC_DEVICE_TYPE", "multicore").output();
    let said = text(&output.unwrap());
    assert!(
        said.contains("for which this program is not built"),
        "{said}"
    );
}

#[test]
fn makefiles_build_for_the_cores() {
    let folder = Folder::with(&[("f.c", PROGRAM)]);
    folder.succeed("translate --multicore f.c");
    let makefile = folder.read("f.acc.mk");
    assert!(makefile.contains("HOST_FLAGS += -fopenmp"), "{makefile}");
    let dry = ["-n", "-f", "f.acc.mk", "DEVICE=multicore"];
    let commands = folder.run("make", &dry);
    assert!(commands.contains("-fopenmp"), "{commands}");
    assert!(
        commands.contains("build-multicore/f.device.cpp"),
        "{commands}"
    );
}

#[test]
fn a_compiler_without_openmp_is_an_error() {
    let script = "#!/bin/sh\n\
        case \"$*\" in *-fopenmp*) echo 'cc: no such option: -fopenmp' >&2; exit 1;; esac\n\
        exec cc \"$@\"\n";
    let folder = Folder::with(&[("f.c", PROGRAM), ("plain-cc", script)]);
    folder.run("chmod", &["+x", "plain-cc"]);
    let mut command = folder.command(super::accrs());
    command.env("ACCRS_CC", folder.file("plain-cc"));
    let output = command
        .args(["run", "--device", "multicore", "f.c"])
        .output();
    let said = text(&output.unwrap());
    assert!(said.contains("error[A0736]"), "{said}");
    assert!(said.contains("no such option: -fopenmp"), "{said}");
}

/// The form with directives, the one by hand and gcc's are timed in turn.
#[test]
fn the_bench_times_all_forms_on_the_cores() {
    let folder = Folder::new();
    let serial = PLAIN.replace("#pragma", "//");
    let by_hand = PLAIN.replace("acc parallel loop", "omp parallel for //");
    let forms = [("", PLAIN), ("_serial", &*serial), ("_omp", &*by_hand)];
    with(&folder, "sums", &forms);
    let line =
        "bench --folder . --device multicore --runs 1 --peer gcc --sizes 1000 --json all.json";
    let table = folder.succeed(line);
    for form in ["acc", "omp", "gcc"] {
        let row = table
            .lines()
            .find(|line| line.trim_start().starts_with(form));
        let row = row.unwrap_or_else(|| panic!("{form}: {table}"));
        assert!(row.contains("equal") && row.contains("500.000"), "{table}");
    }
    let figures: serde_json::Value = serde_json::from_str(&folder.read("all.json")).unwrap();
    assert_eq!(figures["device"], "multicore");
    assert!(figures["threads"].as_u64().unwrap() > 0);
}

/// Inner loops may reduce memory that all iterations of the outer one share: cores would race there.
#[test]
fn memory_that_inner_loops_reduce_is_for_one_core() {
    let source = "\
void shared(int n, int *bins, int keys[9][100])
{
    #pragma acc parallel loop gang copyin(keys[0:9]) copy(bins[0:n])
    for (int r = 0; r < 9; r++) {
        #pragma acc loop vector reduction(+:bins[0:n])
        for (int i = 0; i < 100; i++)
            bins[keys[r][i] % n] += r;
    }
}
void own(int n, int *sums, int keys[9][100])
{
    #pragma acc parallel loop gang copyin(keys[0:9]) copyout(sums[0:9])
    for (int r = 0; r < 9; r++) {
        int sum = 0;
        #pragma acc loop vector reduction(+:sum)
        for (int i = 0; i < 100; i++)
            sum += keys[r][i] % n;
        sums[r] = sum;
    }
}
";
    let folder = Folder::with(&[("bins.c", source)]);
    let output = folder.accrs("translate --multicore bins.c");
    assert!(output.status.success(), "{}", text(&output));
    let host = folder.read("bins.acc.c");
    let (shared, own) = host.split_once("void own(").expect("the function is there");
    let is_for_cores = |text: &str| text.contains("omp parallel for");
    assert!(!is_for_cores(shared) && is_for_cores(own), "{host}");
}
