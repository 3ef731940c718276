//! The system's headers pass without a diagnostic.

use std::path::Path;

use super::*;
use crate::source::{Preprocessor, SourceFile, TranslationUnit};
use crate::typed::SymbolKind;

/// Preprocesses and analyses a file of this text; no diagnostic may appear.
fn analyse_file(text: &str, arguments: &[&str]) -> Unit {
    let mut diagnostics = Diagnostics::new();
    let preprocessor = Preprocessor {
        compiler: Some("cc".into()),
        arguments: arguments.iter().map(Into::into).collect(),
    };
    let file = SourceFile::new(Path::new("smoke.c"), text.as_bytes().to_vec());
    let source = TranslationUnit::preprocess(file, &preprocessor, &["acc"], &mut diagnostics);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    accepted(&source.text)
}

/// Includes the headers of these names, without their `.h`.
fn includes(headers: &str) -> String {
    let lines = headers.split_whitespace();
    lines
        .map(|header| format!("#include <{header}.h>\n"))
        .collect()
}

#[test]
fn the_c_library() {
    let headers = "assert ctype errno fenv float inttypes iso646 limits locale math setjmp signal \
                   stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string \
                   strings threads time uchar wchar wctype complex";
    for standard in ["-std=gnu11", "-std=c99", "-std=gnu17", "-D_GNU_SOURCE"] {
        let unit = analyse_file(&includes(headers), &[standard, "-O2"]);
        let printf = symbol(&unit, "printf");
        assert!(
            matches!(printf.kind, SymbolKind::Function { .. }),
            "{standard}"
        );
        assert_eq!(show(&unit, symbol(&unit, "sqrt").ty), "double (double)");
        assert_eq!(
            show(&unit, symbol(&unit, "malloc").ty),
            "void *(unsigned long)"
        );
    }
}

/// Each header alone, too: none may need what another one brings.
#[test]
fn posix_and_openmp() {
    let headers = "arpa/inet dirent dlfcn fcntl getopt glob netdb netinet/in poll pthread pwd regex \
                   sched search semaphore sys/epoll sys/ioctl sys/mman sys/resource sys/select \
                   sys/socket sys/stat sys/time sys/types sys/uio sys/un sys/wait termios ucontext \
                   unistd omp tgmath";
    let arguments = ["-D_GNU_SOURCE", "-O2", "-D_FORTIFY_SOURCE=2"];
    analyse_file(&includes(headers), &arguments);
    for header in headers.split_whitespace() {
        analyse_file(&includes(header), &["-D_GNU_SOURCE"]);
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn intrinsics() {
    let unit = analyse_file(
        "#include <immintrin.h>
         __m128 sum(__m128 a, __m128 b) { return _mm_add_ps(a, _mm_mul_ps(a, b)); }
         __m256d scale(const double *p) {
           return _mm256_mul_pd(_mm256_loadu_pd(p), _mm256_set1_pd(2.0)); }",
        &["-O2", "-mavx512f", "-mfma"],
    );
    assert!(unit.functions.len() > 1000, "{}", unit.functions.len());
}

#[test]
fn type_generic_mathematics() {
    let unit = analyse_file(
        "#include <tgmath.h>
         void f(float x, double y, long double z, float _Complex c, int n) {
           sqrt(x); sqrt(y); sqrt(z); sqrt(n); sqrt(c);
           pow(x, y); pow(x, 2.0f); pow(c, x); fabs(c); fabs(x);
           ldexp(x, n); atan2(n, x); creal(c); carg(y);
         }",
        &[],
    );
    let types: Vec<String> = expressions(&unit)
        .iter()
        .map(|e| show(&unit, e.ty))
        .collect();
    assert_eq!(
        types,
        [
            "float",
            "double",
            "long double",
            "double",
            "_Complex float",
            "double",
            "float",
            "_Complex float",
            "float",
            "float",
            "float",
            "double",
            "float",
            "double"
        ]
    );
}

#[test]
fn a_program() {
    analyse_file(
        r#"#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>
#include <sys/wait.h>

#define MAX(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })

struct list { struct list *next; union { int i; double d; } value; };

static int report(const char *format, ...)
{
    va_list list, copy;
    va_start(list, format);
    va_copy(copy, list);
    int n = vfprintf(stderr, format, list) + va_arg(copy, int);
    va_end(list);
    va_end(copy);
    return n;
}

static int order(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
    double *values = malloc(sizeof *values * 100);
    if (!values || errno == ENOMEM) return report("%s\n", strerror(errno)), 1;
    assert(argc > 0 && isfinite(values[0]));
    for (size_t i = 0; i < 100; i++) values[i] = MAX(sin(i), (double)i / RAND_MAX) + NAN * INFINITY;
    qsort(values, 100, sizeof values[0], order);
    int status, s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(80) };
    bind(s, (struct sockaddr *)&address, sizeof address);
    wait(&status);
    if (WIFEXITED(status)) putchar(getc(stdin) == EOF ? 'x' : toupper('y'));
    struct list head = { NULL, { .d = 1 } }, *p = &head;
    while (p && p->next) p = p->next;
    double complex z = 1.0 + 2.0 * I;
    atomic_int counter = ATOMIC_VAR_INIT(0);
    atomic_fetch_add(&counter, 1);
    size_t at = offsetof(struct list, value.d);
    if (isnan(cabs(z)) || isinf(values[at]) || signbit(values[0])) return EINTR;
    FILE *f = argc > 1 ? fopen(argv[1], "r") : stdin;
    fprintf(stdout, "%g %zu\n", values[0], strlen(argv[0]));
    return f == NULL ? EXIT_FAILURE : EXIT_SUCCESS;
}
"#,
        &["-O1"],
    );
}
