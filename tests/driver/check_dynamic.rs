//! `accrs check --dynamic` on programs with one fault each, and on right ones.

use super::{Folder, text};

/// A program around a piece of code that works on these variables.
fn program(code: &str) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{{\n    \
         int n = argc > 1 ? atoi(argv[1]) : 1000;\n    \
         float *a = calloc(n + 1, sizeof *a), *b = calloc(n + 1, sizeof *b), t = 0;\n    \
         int flag = 0;\n{code}\n    printf(\"%g %g %g %d\\n\", a[n / 2], b[n / 2], t, flag);\n    \
         free(a);\n    free(b);\n    return 0;\n}}\n"
    )
}

/// The line of [`program`] that its code begins on.
const FIRST: usize = 8;

/// Checks a program that has a fault: its code, at the line of that number
/// within the piece of code. Gives all that was said.
fn faulty(code: &str, fault: &str, line: usize) -> String {
    let folder = Folder::with(&[("faulty.c", &program(code))]);
    let output = folder.accrs("check --dynamic --message-format short faulty.c");
    let said = text(&output);
    let expected = format!("faulty.c:{}:", FIRST + line);
    let found = said
        .lines()
        .any(|said| said.starts_with(&expected) && said.contains(&format!("error[{fault}]")));
    assert!(found, "no {fault} at line {}:\n{said}", FIRST + line);
    assert_eq!(output.status.code(), Some(1), "{said}");
    said
}

#[test]
fn iterations_that_need_each_other_race() {
    let code = "    #pragma acc parallel loop independent copy(a[0:n])\n    \
                for (int i = 1; i < n; i++)\n        a[i] = a[i - 1] + 1.0f;";
    faulty(code, "A0722", 2);
}

#[test]
fn a_shared_temporary_races() {
    let code = "    #pragma acc parallel loop copy(a[0:n], b[0:1])\n    \
                for (int i = 0; i < n; i++) {\n        b[0] = a[i] + i;\n        \
                a[i] = b[0] * 2;\n    }";
    let said = faulty(code, "A0722", 2);
    assert!(
        said.contains("threads of a block race for `b[0:1]`"),
        "{said}"
    );
}

#[test]
fn reading_what_was_only_created_is_found() {
    let code = "    #pragma acc data create(b[0:n])\n    \
                #pragma acc parallel loop copyout(a[0:n])\n    \
                for (int i = 0; i < n; i++)\n        a[i] = b[i];";
    faulty(code, "A0723", 3);
}

#[test]
fn an_index_past_the_section_is_found() {
    let code = "    #pragma acc parallel loop copyout(a[0:n])\n    \
                for (int i = 0; i <= n; i++)\n        a[i] = i;";
    faulty(code, "A0724", 2);
}

#[test]
fn an_index_outside_a_private_array_is_found() {
    let code = "    #pragma acc parallel loop copyout(a[0:n])\n    \
                for (int i = 0; i < n; i++) {\n        float w[4] = {1, 2, 3, 4};\n        \
                a[i] = w[i % 5];\n    }";
    faulty(code, "A0724", 3);
}

#[test]
fn a_shift_by_too_many_places_is_found() {
    let code = |most: u32| {
        format!(
            "    #pragma acc parallel loop copyout(a[0:n])\n    \
             for (int i = 0; i < n; i++)\n        a[i] = 1u << (i < {most} ? i : {most});"
        )
    };
    let said = faulty(&code(32), "A0727", 2);
    assert!(
        said.contains("a value of 32 bits is shifted by 32 places"),
        "{said}"
    );
    let folder = Folder::with(&[("program.c", &program(&code(31)))]);
    folder.succeed("check --dynamic program.c");
}

#[test]
fn a_host_pointer_on_the_device_is_found() {
    let code = "    float *rows[1] = {a};\n    #pragma acc parallel loop copyin(rows)\n    \
                for (int i = 0; i < n; i++)\n        rows[0][i] = i;";
    faulty(code, "A0725", 3);
}

/// What a kernel allocates is the device's: it may be accessed there, and has no value at first.
#[test]
fn memory_that_a_kernel_allocates_is_of_the_device() {
    let code = |written: &str| {
        format!(
            "    #pragma acc parallel loop copyout(a[0:n])\n    \
             for (int i = 0; i < n; i++) {{\n        float *w = malloc(4 * sizeof *w);\n        \
             {written}\n        a[i] = w[2];\n        free(w);\n    }}"
        )
    };
    let folder = Folder::with(&[("right.c", &program(&code("w[2] = i;")))]);
    folder.succeed("check --dynamic right.c");
    faulty(&code("w[1] = i;"), "A0723", 4);
}

/// No pointer of the program leads to a variable that a block shares: all threads decide alike.
#[test]
fn a_condition_on_memory_of_the_block_stands_around_barriers() {
    let source = "#include <stdio.h>\nstatic void f(int *a)\n{\n\
        #pragma acc parallel loop gang copy(a[0:7])\n    for (int r = 0; r < 7; r++) {\n        \
        int p[16];\n        for (int z = 0; z < 16; z++) p[z] = z + r;\n        \
        if (p[15] & 2) {\n#pragma acc loop vector\n            \
        for (int j = 0; j < 16; j++) p[j] += 3;\n        }\n        a[r] += p[15];\n    }\n}\n\
        int main(void)\n{\n    int a[7] = {0};\n    f(a);\n    \
        for (int i = 0; i < 7; i++) printf(\"%d \", a[i]);\n    return 0;\n}\n";
    let folder = Folder::with(&[("block.c", source)]);
    folder.succeed("check --dynamic block.c");
    let run = folder.succeed("run --device emulated block.c");
    assert!(run.contains("18 16 17 21 22 20 21"), "{run}");
}

#[test]
fn equal_stores_are_a_note() {
    let code = "    #pragma acc parallel loop copyin(a[0:n]) copy(flag)\n    \
                for (int i = 0; i < n; i++)\n        if (a[i] < 1)\n            flag = 1;";
    let folder = Folder::with(&[("equal.c", &program(code))]);
    let output = folder.accrs("check --dynamic --message-format short equal.c");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let expected = format!("equal.c:{}:13: note[A0722]", FIRST + 3);
    assert!(said.contains(&expected), "{said}");
}

#[test]
fn right_programs_say_nothing_but_their_own_output() {
    let code = "    #pragma acc data copy(a[0:n]) copyout(b[0:n])\n    {\n        \
                #pragma acc parallel loop\n        \
                for (int i = 0; i < n; i++)\n            b[i] = i;\n        \
                #pragma acc parallel loop reduction(+:t)\n        \
                for (int i = 1; i < n - 1; i++) {\n            \
                a[i] = b[i - 1] + b[i + 1];\n            t += b[i];\n        }\n        \
                #pragma acc parallel loop gang\n        \
                for (int i = 0; i < 10; i++) {\n            int count = 0;\n            \
                #pragma acc loop vector reduction(+:count)\n            \
                for (int k = 0; k < n; k++)\n                count += b[k] > i;\n            \
                a[i] = count;\n        }\n    }";
    let folder = Folder::with(&[("right.c", &program(code))]);
    let output = folder.accrs("check --dynamic right.c -- 500");
    assert_eq!(text(&output), "500 250 124251 0\n");
    assert_eq!(output.status.code(), Some(0));
}

/// A launcher looks at the host's value of a bound for the size of its grid.
#[test]
fn bounds_that_the_device_computes_are_not_read_by_the_host() {
    let code = "    int last = 15;\n    #pragma acc data copyin(last) copy(a[0:n])\n    {\n        \
                #pragma acc serial present(last)\n        last = n;\n        \
                #pragma acc parallel loop\n        \
                for (int i = 0; i < last; i++)\n            a[i] = i + last;\n    }";
    let folder = Folder::with(&[("right.c", &program(code))]);
    let output = folder.accrs("check --dynamic right.c -- 500");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

/// An old value may be what is meant; else it is a finding as others are.
#[test]
fn old_values_are_warnings_that_can_be_allowed() {
    let code = "    #pragma acc parallel loop copyin(a[0:n])\n    \
                for (int i = 0; i < n; i++)\n        a[i] = i;";
    let folder = Folder::with(&[("old.c", &program(code))]);
    let output = folder.accrs("check --dynamic --message-format short old.c");
    let said = text(&output);
    assert!(said.contains("warning[A0728]"), "{said}");
    assert_eq!(output.status.code(), Some(1), "{said}");
    for (allowed, is_silent) in [
        ("stale=a", true),
        ("stale=a[0:n]", true),
        ("stale=b", false),
    ] {
        let output = folder.accrs(&format!("check --dynamic --allow {allowed} old.c"));
        let said = text(&output);
        assert_eq!(said == "0 0 0 0\n", is_silent, "{said}");
        assert_eq!(output.status.success(), is_silent, "{said}");
    }
}

/// Two blocks, which run at the same time, write the bytes of each word.
#[test]
fn bytes_of_a_word_may_be_written_by_two_blocks_at_once() {
    let code = "    static short both[200001];\n    \
                #pragma acc data create(both)\n    {\n        \
                #pragma acc parallel loop gang vector vector_length(1)\n        \
                for (int i = 0; i < 200000; i++)\n            both[i] = 1;\n        \
                #pragma acc parallel loop reduction(+:flag)\n        \
                for (int i = 0; i < 200000; i++)\n            flag += both[i];\n    }";
    let folder = Folder::with(&[("both.c", &program(code))]);
    let output = folder.accrs("check --dynamic both.c");
    assert_eq!(text(&output), "0 0 0 200000\n");
}

#[test]
fn one_order_alone_may_be_chosen_and_input_is_read_again() {
    let code = "    if (scanf(\"%d\", &flag) != 1)\n        return 3;\n    \
                #pragma acc parallel loop copy(a[0:n])\n    \
                for (int i = 0; i < n; i++)\n        a[i / 2] = i;";
    let folder = Folder::with(&[("input.c", &program(code)), ("input", "7\n")]);
    for (order, expected) in [
        ("", "in order, in reverse, in random order (seed 1)"),
        ("5", "in random order (seed 5)"),
    ] {
        let mut command = folder.command(super::accrs());
        command.args(["check", "--dynamic", "input.c"]);
        command.env("ACCRS_SCHEDULE", order);
        command.stdin(std::fs::File::open(folder.file("input")).unwrap());
        let output = command.output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(
            said.contains(&format!("times, with blocks and threads {expected}\n")),
            "{said}"
        );
    }
}

#[test]
fn a_program_that_fails_is_not_fine() {
    let folder = Folder::with(&[("fails.c", "int main(void)\n{\n    return 3;\n}\n")]);
    let output = folder.accrs("check --dynamic fails.c");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("error[A0726]: the program ended with status 3"),
        "{said}"
    );
}

#[test]
fn all_files_of_a_program_are_checked() {
    let main = "#include <stdlib.h>\nvoid shift(float *a, int n);\nint main(void)\n{\n    \
                float *a = calloc(100, sizeof *a);\n    \
                #pragma acc parallel loop copy(a[0:100])\n    \
                for (int i = 0; i < 100; i++)\n        a[i] = i;\n    \
                shift(a, 100);\n    free(a);\n    return 0;\n}\n";
    let shift = "void shift(float *a, int n)\n{\n    \
                 #pragma acc parallel loop independent copy(a[0:n])\n    \
                 for (int i = 1; i < n; i++)\n        a[i] = a[i - 1];\n}\n";
    let folder = Folder::with(&[("main.c", main), ("parts/shift.c", shift)]);
    let output = folder.accrs("check --dynamic --message-format short main.c parts/shift.c");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("parts/shift.c:5:") && !said.contains("main.c:"),
        "{said}"
    );
}

#[test]
fn directives_in_headers_give_no_warning() {
    let header =
        "#pragma acc routine seq\nstatic inline float twice(float x)\n{\n    return 2 * x;\n}\n";
    let main = "#include \"twice.h\"\nint main(void)\n{\n    float a[9];\n    \
                #pragma acc parallel loop copyout(a)\n    \
                for (int i = 0; i < 9; i++)\n        a[i] = twice(i);\n    \
                return a[8] != 16;\n}\n";
    let folder = Folder::with(&[("twice.h", header), ("main.c", main)]);
    assert_eq!(folder.succeed("cc -Wall -Wextra -o program main.c"), "");
    let output = folder.accrs("cc -Wall -Wextra -o program main.c");
    assert_eq!(text(&output), "");
    folder.run("./program", &[]);
}

#[test]
fn structures_that_functions_return_count_as_written() {
    let source = "#include <math.h>\nstruct six\n{\n    double a, b, c, d, e, f;\n};\n\
                  static struct six make(int s, double h, double u)\n{\n    struct six x = {0};\n    \
                  if (s == 1) {\n        x.a = h * u;\n        x.b = sqrt(u);\n        \
                  if (x.a > 3) {\n            x.d = exp(h);\n            x.e = log(u + 1);\n        \
                  } else {\n            x.f = sin(u);\n        }\n    }\n    \
                  for (int i = 0; i < s; i++)\n        x.a += tan(x.b + i);\n    return x;\n}\n\
                  int main(int argc, char **argv)\n{\n    struct six x[100];\n    double sum[100];\n    \
                  #pragma acc data create(x) copyout(sum)\n    {\n        \
                  #pragma acc parallel loop\n        for (int i = 0; i < 100; i++)\n            \
                  x[i] = make(argc, i, 2);\n        \
                  #pragma acc parallel loop\n        for (int i = 0; i < 100; i++)\n            \
                  sum[i] = x[i].a + make(argc + 1, i, 3).b;\n    }\n    return sum[5] == argv[0][0];\n}\n";
    let folder = Folder::with(&[("six.c", source)]);
    assert_eq!(text(&folder.accrs("check --dynamic six.c")), "");
}

/// What a fetch takes in vain is no race; the same element is one as soon as an iteration reads it.
#[test]
fn a_fetch_races_only_for_what_is_read() {
    let code = "    flag = n > 1000;\n    \
                #pragma acc parallel loop independent vector_length(32) copy(a[0:n])\n    \
                for (int i = 0; i < 100; i++) {\n        \
                #pragma acc cache(a[i:2])\n        \
                a[100 + i] = a[i + flag];\n    }";
    let folder = Folder::with(&[("halves.c", &program(code))]);
    let checked = |arguments: &str| {
        folder.accrs(&format!(
            "check --dynamic --message-format short halves.c -- {arguments}"
        ))
    };
    let alone = checked("1000");
    assert_eq!(alone.status.code(), Some(0), "{}", text(&alone));
    let shared = checked("2000");
    assert!(text(&shared).contains("error[A0722]"), "{}", text(&shared));
    assert_eq!(shared.status.code(), Some(1));
}

/// A thread's own slot of a window, which is a register in programs, has no value either where the
/// element is not on the device.
#[test]
fn own_slots_without_a_value_are_found() {
    let code = "    const int rows = n > 1000 ? 7 : 8, columns = 16;\n    static float from[8][16], to[8][16];\n    \
                float (*p)[columns] = from, (*q)[columns] = to;\n    \
                #pragma acc data copyin(p[0:rows]) copyout(q[0:8])\n    \
                #pragma acc kernels present(p[0:rows], q[0:8])\n    \
                #pragma acc loop independent vector(4)\n    \
                for (int y = 0; y < 8; y++) {\n        \
                #pragma acc loop independent vector(8)\n        \
                for (int x = 0; x < 16; x++) {\n            \
                #pragma acc fcw FETCH_ONLY(p[y:0:0:x:0:0])\n            \
                {\n                q[y][x] = p[y][x];\n            }\n        }\n    }";
    let folder = Folder::with(&[("own.c", &program(code))]);
    folder.succeed("translate own.c -o out");
    let kernels = folder.read("out/own.acc.cu");
    assert!(kernels.contains("float p_own{};"), "{kernels}");
    let checked = |n: &str| {
        folder.accrs(&format!(
            "check --dynamic --message-format short own.c -- {n}"
        ))
    };
    let whole = checked("1000");
    assert_eq!(whole.status.code(), Some(0), "{}", text(&whole));
    let less = checked("2000");
    assert!(text(&less).contains("own.c:"), "{}", text(&less));
    assert_eq!(less.status.code(), Some(1), "{}", text(&less));
}

/// Partitions do what the program says, right or wrong: iterations that need others of another
/// block, or of another thread of the block with no barrier between, are races.
#[test]
fn partitions_of_dependent_iterations_race() {
    let kernel = |over: &str, barrier: &str| {
        format!(
            "static int a[64];\nint main(void)\n{{\n    \
             #pragma hicuda global alloc a[*] clear\n    \
             #pragma hicuda kernel k tblock(4) thread(16)\n    \
             #pragma hicuda loop_partition {over}\n    \
             for (int i = 0; i < 64; i++) {{\n        a[i] = i;\n{barrier}        \
             if (i % 16 > 0)\n            a[i - 1] += 2;\n    }}\n    \
             #pragma hicuda kernel_end\n    #pragma hicuda global copyout a[*]\n    \
             #pragma hicuda global free a\n    return a[3] != 5;\n}}\n"
        )
    };
    let checked = |source: String| {
        let folder = Folder::with(&[("k.c", &source)]);
        let output = folder.accrs("check --dynamic --message-format short k.c");
        (output.status.code(), text(&output))
    };
    let barrier = "        #pragma hicuda barrier\n";
    let (code, said) = checked(kernel("over_tblock over_thread", barrier));
    assert_eq!((code, said.as_str()), (Some(0), ""));
    for wrong in [
        kernel("over_tblock over_thread", ""),
        kernel("over_tblock(CYCLIC)", barrier),
    ] {
        let (code, said) = checked(wrong);
        assert!(said.contains("error[A0722]"), "{said}");
        assert_eq!(code, Some(1), "{said}");
    }
}

/// What a library reads too early, no check sees; late queues show it.
#[test]
fn output_of_late_queues_differs_where_a_library_reads_too_early() {
    let code = "    char *text = calloc(n + 1, 1);\n    \
                #pragma acc parallel loop copy(text[0:n]) async(1)\n    \
                for (int i = 0; i < n; i++)\n        text[i] = 'a' + i % 3;\n    \
                puts(\"first\");\n    puts(text);\n    \
                #pragma acc wait(1)\n    text[3] = 0;\n    puts(text);";
    let folder = Folder::with(&[("early.c", &program(code))]);
    let output = folder.accrs("check --dynamic --message-format short early.c -- 5");
    let said = text(&output);
    let words = "warning[A0737]: the output is another one where queues do their work late: \
                 line 2 is ``, not `abcab`";
    assert!(said.contains(words), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
    let mut command = folder.command(super::accrs());
    command.env("ACCRS_EMULATED_QUEUES", "late");
    let output = command
        .args(["run", "early.c", "--", "5"])
        .output()
        .unwrap();
    assert_eq!(text(&output), "first\n\nabc\n0 0 0 0\n");
}
