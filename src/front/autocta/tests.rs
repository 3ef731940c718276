//! Which kernels may have blocks of any size, and what becomes of launches.

use super::*;

/// Brackets of launches spelled « and ».
fn cuda(text: &str) -> String {
    text.replace('«', "<<<").replace('»', ">>>")
}

const INDEX: &str = "int i = blockIdx.x * blockDim.x + threadIdx.x;";

/// What a kernel with this body may have: `guarded`, `exact` or a doubt. It is launched for n
/// threads with the arguments (x, n, 7); `others` stands before it.
fn judged(others: &str, body: &str) -> String {
    let text = cuda(&format!(
        "{others}\n__global__ void k(float *x, int count, int d)\n{{\n{body}\n}}\nvoid f(float *x, int n)\n{{\n#pragma AUTO-CTA n\nk«1, 2»(x, n, 7);\n}}\n"
    ));
    let mut diagnostics = Diagnostics::new();
    let tuned = tune(text.as_bytes(), &[], true, &mut diagnostics);
    assert_eq!(tuned.pragmas, 1, "{text}");
    let found: Vec<&Diagnostic> = diagnostics.iter().collect();
    assert_eq!(found.len(), 1, "{found:?}");
    let out = String::from_utf8(tuned.edits.apply(text.as_bytes())).expect("ASCII");
    if found[0].code == codes::AUTO_CTA_DOUBT {
        assert_eq!(out, text);
        let prefix = "this launch keeps its configuration: ";
        return found[0].message.trim_start_matches(prefix).to_owned();
    }
    assert_eq!(found[0].code, codes::AUTO_CTA_CHOICE);
    assert_eq!(out.lines().count(), text.lines().count());
    assert!(
        out.contains(&cuda("k«cta.blocks, cta.threads»(x, n, 7);")),
        "{out}"
    );
    match out.contains("accrs_cta::guarded(k, n, 1, 2)") {
        true => "guarded".to_owned(),
        false => {
            assert!(out.contains("accrs_cta::exact(k, n, 1, 2)"), "{out}");
            "exact".to_owned()
        }
    }
}

#[track_caller]
fn is(expected: &str, body: &str) {
    assert_eq!(judged("", body), expected, "{body}");
}

#[track_caller]
fn is_with(expected: &str, others: &str, body: &str) {
    assert_eq!(judged(others, body), expected, "{others}\n{body}");
}

#[test]
fn guards_stop_threads_beyond_the_last() {
    for guard in [
        "if (i < count) x[i] = 1;",
        "if (count > i) { x[i] = 1; x[i] += 2; }",
        "if (i >= count) return; x[i] = 1;",
        "if (count <= i) { return; } for (int j = 0; j < d; j++) x[i] += j;",
        "if (d == 3 || i >= count) return; x[i] = 1;",
        "if (i < count && x[i] > 0) x[i] = 1;",
        "if ((i) < (count)) x[i] = 1;",
        "float v = 2; const int m = i + 1; if (i < count) x[m - 1] = v;",
    ] {
        is("guarded", &format!("{INDEX} {guard}"));
    }
    for index in [
        "const int i = blockDim.x * blockIdx.x + threadIdx.x;",
        "unsigned i = threadIdx.x + blockIdx.x * blockDim.x;",
        "size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;",
        "int i = (blockIdx.x * blockDim.x) + (int)threadIdx.x;",
        "int i = (threadIdx.x + (blockDim.x * blockIdx.x));",
        "int i = __mul24(blockIdx.x, blockDim.x) + threadIdx.x;",
        "int tx = threadIdx.x; const unsigned bx = blockIdx.x; int i = bx * blockDim.x + tx;",
        "int b = blockDim.x; int bx = blockIdx.x; int i = b * bx + threadIdx.x;",
        "int t = threadIdx.x, b = blockIdx.x, i = b * blockDim.x + t;",
        "int t = threadIdx.x, v = 3, b = blockIdx.x; int i = b * blockDim.x + t;",
    ] {
        is("guarded", &format!("{index} if (i < count) x[i] = 1;"));
    }
    is(
        "guarded",
        "if (blockIdx.x * blockDim.x + threadIdx.x >= count) return; x[blockIdx.x * blockDim.x + threadIdx.x] = 1;",
    );
}

#[test]
fn what_is_no_guard_needs_a_block_size_that_divides() {
    for body in [
        "x[i] = 1;",
        "if (i < count) x[i] = 1; else x[0] = 2;",
        "if (i < count) x[i] = 1; x[0] = 2;",
        "if (i <= count) x[i] = 1;",
        "if (i > count) return; x[i] = 1;",
        "if (i < d) x[i] = 1;",
        "if (i < count - 1) x[i] = 1;",
        "if (x[i] > 0 && i < count) x[i] = 1;",
        "if (i < count || d > 3) x[i] = 1;",
        "if (i >= count && d > 3) return; x[i] = 1;",
        "x[0] = 3; if (i < count) x[i] = 1;",
        "i += 1; if (i < count) x[i] = 1;",
        "count += 1; if (i < count) x[i] = 1;",
        "if (i < count) x[i] = 1; i = 3;",
        "if (i - 1 < count) x[i] = 1;",
        "if (!(i < count)) x[i] = 1;",
        "float v = *x; if (i < count) x[i] = v;",
        "for (int j = i; j < count; j += gridDim.x * blockDim.x) x[j] = 1;",
    ] {
        is("exact", &format!("{INDEX} {body}"));
    }
}

#[test]
fn threads_that_are_told_apart_by_more_are_a_doubt() {
    for (body, doubt) in [
        ("x[threadIdx.x] = 1;", "threadIdx.x"),
        ("x[blockIdx.x] = 1;", "blockIdx.x"),
        (
            "x[2 * blockIdx.x * blockDim.x + threadIdx.x] = 1;",
            "blockIdx.x",
        ),
        (
            "x[blockIdx.x * blockDim.x + threadIdx.x * 2] = 1;",
            "blockIdx.x * blockDim.x",
        ),
        (
            "x[blockIdx.x * blockDim.x - threadIdx.x] = 1;",
            "blockIdx.x * blockDim.x",
        ),
        (
            "x[d - blockIdx.x * blockDim.x + threadIdx.x] = 1;",
            "blockIdx.x",
        ),
        ("x[blockIdx.x * 32 + threadIdx.x] = 1;", "blockIdx.x"),
        ("int n = blockDim.x; x[0] = n;", "blockDim.x"),
        (
            "int tx = threadIdx.x; tx++; x[blockIdx.x * blockDim.x + tx] = 1;",
            "threadIdx.x",
        ),
        (
            "int tx = threadIdx.x; int &t = tx; t = 0; x[blockIdx.x * blockDim.x + tx] = 1;",
            "threadIdx.x",
        ),
        ("x[gridDim.x] = 1;", "gridDim.x"),
    ] {
        let expected = format!("`{doubt}` is more than a part of the index of the thread");
        is(&expected, body);
    }
    is("it uses `threadIdx.y`", "x[threadIdx.y] = 1;");
    is(
        "it uses `blockIdx` as a whole",
        "uint3 b = blockIdx; x[b.x] = 1;",
    );
}

#[test]
fn work_of_a_block_is_a_doubt() {
    let doubt = |word: &str| format!("its threads work together: `{word}`");
    is(&doubt("__shared__"), "__shared__ float t[64]; t[0] = 1;");
    is(
        &doubt("__syncthreads"),
        &format!("{INDEX} x[i] = 1; __syncthreads();"),
    );
    is(
        &doubt("__shfl_down_sync"),
        &format!("{INDEX} x[i] = __shfl_down_sync(~0u, x[i], 1);"),
    );
    let hidden = [
        "#define MEET __syncthreads()\n__device__ void g() { MEET; }",
        "__device__ void h() { __syncthreads(); }\n__device__ void g() { h(); }",
        "#define g() h()\n#define h() __syncthreads()",
        "template <class T> __device__ void g() { __syncthreads(); }",
    ];
    for others in hidden {
        is_with(
            &doubt("__syncthreads"),
            others,
            &format!("{INDEX} x[i] = 1; g();"),
        );
    }
    let of_template = "template <class T> __device__ T g(T v) { __syncthreads(); return v; }";
    let body = format!("{INDEX} x[i] = g<float>(1);");
    is_with(&doubt("__syncthreads"), of_template, &body);
}

#[test]
fn functions_and_macros_are_followed() {
    let body = |rest: &str| format!("{INDEX} if (i < count) {rest}");
    is("guarded", &body("x[i] = sqrtf(x[i]) + max(1, 2);"));
    is(
        "it calls `other`, which is not in these files",
        &body("x[i] = other(x[i]);"),
    );
    is(
        "it calls `Reduce`, which is not in these files",
        &body("x[i] = cub::Reduce<float, 64>(x).Sum(x[i]);"),
    );
    is_with(
        "guarded",
        "__device__ float g(float v) { return fabsf(v); }",
        &body("x[i] = g(x[i]);"),
    );
    is_with(
        "guarded",
        "__device__ float g(const float *v, int j) { return v[j]; }",
        &body("x[i] = g(x, i) + max(i, 3);"),
    );
    is_with(
        "exact",
        "__device__ float g(const float *v, int &j) { return v[j++]; }",
        &body("x[i] = g(x, i);"),
    );
    is_with(
        "guarded",
        "#define SQUARE(v) ((v) * (v))",
        &body("x[i] = SQUARE(x[i]);"),
    );
    let index = "#define ID (blockIdx.x * blockDim.x + threadIdx.x)";
    is_with("guarded", index, "if (ID < count) x[ID] = 1;");
    let sum = "#define ID blockIdx.x * blockDim.x + threadIdx.x";
    is_with(
        "`blockIdx.x` is more than a part of the index of the thread",
        sum,
        "x[2 * ID] = 1;",
    );
    is_with(
        "`threadIdx.x` is more than a part of the index of the thread",
        "__device__ int lane() { return threadIdx.x; }",
        &body("x[i] = lane();"),
    );
    is_with(
        "the macro `SIZE` has several meanings",
        "#ifdef A\n#define SIZE 1\n#else\n#define SIZE 2\n#endif",
        &body("x[i] = SIZE;"),
    );
    let hidden = "#define STEP() tx += 1";
    let steps = "int tx = threadIdx.x; STEP(); x[blockIdx.x * blockDim.x + tx] = 1;";
    is_with(
        "`threadIdx.x` is more than a part of the index of the thread",
        hidden,
        steps,
    );
    let reference = "__device__ void g(int &v) { v = 0; }";
    let changed = "int tx = threadIdx.x; g(tx); x[blockIdx.x * blockDim.x + tx] = 1;";
    is_with(
        "`threadIdx.x` is more than a part of the index of the thread",
        reference,
        changed,
    );
}

/// What becomes of a text with one pragma, or what is wrong.
fn changed(text: &str) -> Result<String, String> {
    let text = cuda(text);
    let mut diagnostics = Diagnostics::new();
    let tuned = tune(text.as_bytes(), &[], false, &mut diagnostics);
    match diagnostics.iter().next() {
        Some(problem) => Err(problem.message.clone()),
        None => Ok(String::from_utf8(tuned.edits.apply(text.as_bytes())).expect("ASCII")),
    }
}

const KERNEL: &str = "__global__ void k(int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) f1(); }\nvoid f1() {}\n";

#[test]
fn launches_change_where_they_stand() {
    let with =
        |text: &str| changed(&format!("{KERNEL}{text}")).map(|out| out[KERNEL.len()..].to_owned());
    let tuned = |proof: &str, threads: &str, own: &str| {
        format!(
            "// #pragma AUTO-CTA {threads}\n{{ const accrs_cta::Launch cta = accrs_cta::{proof}(k, {threads}, {own});"
        )
    };
    assert_eq!(
        with("{\n#pragma AUTO-CTA a + b\nk«g, b, s, q»(a + b);\n}"),
        Ok(cuda(&format!(
            "{{\n{} k«cta.blocks, cta.threads, s, q»(a + b); }}\n}}",
            tuned("guarded", "a + b", "g, b, s")
        )))
    );
    // One value may be another the second time.
    assert_eq!(
        with("{\n#pragma AUTO-CTA next()\nk«g, b»(next());\n}"),
        Ok(cuda(&format!(
            "{{\n{} k«cta.blocks, cta.threads»(next()); }}\n}}",
            tuned("exact", "next()", "g, b")
        )))
    );
    assert_eq!(
        with("void cta() {\n# pragma AUTO-CTA n /* all */\nk« dim3(g), b »(n);\n}"),
        Ok(cuda(&format!(
            "void cta() {{\n{} k« cta2.blocks, cta2.threads »(n); }}\n}}",
            tuned("guarded", "n", "dim3(g), b").replace("Launch cta ", "Launch cta2 ")
        )))
    );
    assert_eq!(
        with("{\n#pragma omp AUTO-CTA\n#pragma AUTO-CTAS n\nk«g, b»(n);\n}").map(|_| ()),
        Ok(())
    );
}

#[test]
fn names_that_are_nearly_it_are_told() {
    for name in ["auto-cta", "AUTO_CTA", "AutoCTA"] {
        let text = format!("{KERNEL}void g() {{\n#pragma {name} n\nk«1, 2»(3);\n}}");
        assert!(is_used(text.as_bytes()));
        let expected = format!("`#pragma {name}` is no pragma of AUTO-CTA");
        assert_eq!(changed(&text), Err(expected));
    }
    assert!(!is_used(b"// AUTO-CTA\n#pragma omp auto\nauto x = 3;"));
}

#[test]
fn bounds_are_compared_as_macros_have_them() {
    let kernel = format!(
        "#define N 100\n#define M (N)\n__global__ void k(float *x) {{ {INDEX} if (i < N) x[i] = 1; }}\n"
    );
    for threads in ["N", "100", "M", "(N)"] {
        let text = format!("{kernel}void g() {{\n#pragma AUTO-CTA {threads}\nk«1, 2»(3);\n}}");
        let out = changed(&text).expect("it is right");
        assert!(
            out.contains(&format!("guarded(k, {threads}, 1, 2)")),
            "{out}"
        );
    }
    let text = format!("{kernel}void g() {{\n#pragma AUTO-CTA N + 1\nk«1, 2»(3);\n}}");
    assert!(
        changed(&text)
            .expect("it is right")
            .contains("exact(k, N + 1, 1, 2)")
    );
}

#[test]
fn pragmas_out_of_place_are_errors() {
    let no_launch = Err("`AUTO-CTA` is not followed by a launch".to_owned());
    for rest in [
        "",
        "f1();",
        "int x = 3; k«1, 2»(3);",
        "{ k«1, 2»(3); }",
        "k«1, 2»(3), f1();",
        "x = k«1, 2»(3);",
    ] {
        assert_eq!(
            changed(&format!(
                "{KERNEL}void g() {{\n#pragma AUTO-CTA n\n{rest}\n}}"
            )),
            no_launch,
            "{rest}"
        );
    }
    let no_number = Err("`AUTO-CTA` needs the number of threads, an expression".to_owned());
    for number in ["", "// n", "n)", "(n", "a; b", "a, b"] {
        assert_eq!(
            changed(&format!(
                "{KERNEL}void g() {{\n#pragma AUTO-CTA {number}\nk«1, 2»(3);\n}}"
            )),
            no_number,
            "{number}"
        );
    }
    let missing = changed("void g() {\n#pragma AUTO-CTA n\nk«1, 2»(n);\n}");
    assert_eq!(
        missing,
        Err("this launch keeps its configuration: the kernel `k` is not in these files".to_owned())
    );
}

#[test]
fn code_that_runs_without_a_call_of_its_name_is_looked_at() {
    let mixed = "`threadIdx.x` is more than a part of the index of the thread";
    let outside = "`threadIdx` is used where no function is called by its name";
    let body = format!("{INDEX} if (i < count) x[i] = 1;");
    for (doubt, others) in [
        (
            mixed,
            "struct Own { int v; __device__ Own() { v = threadIdx.x; } };",
        ),
        (
            mixed,
            "struct Own { int v; __device__ Own() : v(threadIdx.x) {} };",
        ),
        (outside, "struct Own { int v = threadIdx.x; };"),
        (
            outside,
            "struct Own {}; __device__ int operator+(Own a, int) { return threadIdx.x; }",
        ),
        (
            mixed,
            "struct Own { __device__ operator int() const { return threadIdx.x; } };",
        ),
        (
            mixed,
            "__device__ int f() { return threadIdx.x; } __device__ int (*all[])() = {f};",
        ),
        (
            "its threads work together: `__syncwarp`",
            "auto f = [] __device__ { __syncwarp(); };",
        ),
    ] {
        is_with(doubt, others, &body);
    }
    let named = "__device__ int f() { return threadIdx.x; } template <int (*F)()> __device__ int of() { return (*F)(); }";
    is_with(
        mixed,
        named,
        &format!("{INDEX} if (i < count) x[i] = of<f>();"),
    );
    is_with(
        "its threads work together: `all`",
        "__shared__ int all[8];",
        &format!("{INDEX} if (i < count) x[i] = all[0];"),
    );
    // Declarations, and functions of the host.
    for others in [
        "extern __shared__ float all[];",
        "__device__ float f(float v); int sum(int v) { printf(\"%d\", v); }",
        "struct Pair { float a, b; }; typedef Pair pair;",
    ] {
        is_with(
            "guarded",
            others,
            &format!("{INDEX} float sum = 0; if (i < count) x[i] = sum;"),
        );
    }
}

#[test]
fn the_kernel_is_one_function_without_its_arguments() {
    let tuned = |kernels: &str, name: &str| {
        let text = cuda(&format!(
            "{kernels}\nvoid f(float *x, int n)\n{{\n#pragma AUTO-CTA n\n{name}«1, 2»(x, n);\n}}\n"
        ));
        let mut diagnostics = Diagnostics::new();
        tune(text.as_bytes(), &[], false, &mut diagnostics);
        diagnostics.iter().next().map_or("tuned".to_owned(), |d| {
            let prefix = "this launch keeps its configuration: ";
            d.message.trim_start_matches(prefix).to_owned()
        })
    };
    let body = format!("{{ {INDEX} if (i < n) x[i] = 1; }}");
    let one = format!("template <typename T> __global__ void k(T *x, int n) {body}");
    let two =
        format!("template <typename T, int N = (2, 3)> __global__ void k(T *x, int n) {body}");
    let deduced = "the template arguments of `k` are deduced; write them as `k<…>`";
    assert_eq!(tuned(&one, "k"), deduced);
    assert_eq!(tuned(&one, "k<float>"), "tuned");
    assert_eq!(tuned(&two, "k<float>"), deduced);
    assert_eq!(tuned(&two, "k<float, (1 > 2 ? 3 : 4)>"), "tuned");
    let overloads =
        ["float", "double"].map(|ty| format!("__global__ void k({ty} *x, int n) {body}"));
    assert_eq!(
        tuned(&overloads.join(" "), "k"),
        "there are several kernels `k`"
    );
    assert_eq!(tuned(&overloads[0], "k"), "tuned");
}

#[test]
fn declarations_before_a_guard_run_no_code() {
    let guard = "if (i < count) x[i] = 1;";
    for (expected, others) in [
        ("guarded", "struct Own { float a; int b[3]; };"),
        ("guarded", "typedef struct { float a; } Own;"),
        ("guarded", "using Own = unsigned char;"),
        (
            "exact",
            "struct Own { __device__ Own() { atomicAdd(&all, 1); } };",
        ),
        ("exact", "struct Own { int v = 3; };"),
        ("exact", ""),
    ] {
        is_with(expected, others, &format!("{INDEX} Own own; {guard}"));
    }
}

#[test]
fn narrower_integers_are_no_part_of_the_index() {
    let doubt = "`blockIdx.x` is more than a part of the index of the thread";
    for index in [
        "int i = (unsigned char)blockIdx.x * blockDim.x + threadIdx.x;",
        "int i = (short)blockIdx.x * blockDim.x + threadIdx.x;",
        "short b = blockIdx.x; int i = b * blockDim.x + threadIdx.x;",
    ] {
        is(doubt, &format!("{index} if (i < count) x[i] = 1;"));
    }
    let whole = "int i = (unsigned char)(blockIdx.x * blockDim.x) + threadIdx.x;";
    is(
        &doubt.replace("blockIdx.x", "blockIdx.x * blockDim.x"),
        &format!("{whole} if (i < count) x[i] = 1;"),
    );
}

/// A number of threads in which a name is misspelt.
#[test]
fn names_that_nothing_has_are_warned_of() {
    let text = cuda(
        "#include <limits.h>\n#define M 4\n\
         __global__ void k(float *x, int n) { if (blockIdx.x * blockDim.x + threadIdx.x < n) x[0] = 1; }\n\
         void f(int n, float *x)\n{\n#pragma AUTO-CTA WRITTEN\nk«1, 2»(x, n);\n}\n",
    );
    let warned = |threads: &str| {
        let text = text.replace("WRITTEN", threads);
        let mut found = Diagnostics::new();
        tune(text.as_bytes(), &[], false, &mut found);
        let unnamed = found.iter().find(|one| one.code == codes::AUTO_CTA);
        unnamed.map(|one| (one.severity, one.help.as_deref().map(str::to_owned)))
    };
    let near = Some("did you mean `n`?".to_owned());
    assert_eq!(warned("nn"), Some((Severity::Warning, near)));
    assert_eq!(warned("2 * quantity"), Some((Severity::Warning, None)));
    for right in [
        "n",
        "n * M",
        "INT_MAX",
        "(size_t)n",
        "sizeof(int) * n",
        "least(n, 4)",
    ] {
        assert_eq!(warned(right), None, "{right}");
    }
}
