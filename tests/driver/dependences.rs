//! A0469: loops that are said to be independent.

use crate::Folder;
use crate::warnings::{function, said};

/// Loops that carry a dependence for certain.
const DEPENDENT: &[&str] = &[
    "#pragma acc parallel loop\nfor (int i = 1; i < n; i++) a[i] = a[i - 1] + b[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n - 1; i++) a[i] = a[i + 1];",
    "#pragma acc parallel loop\nfor (int i = 4; i < 100; i++) a[i] = a[i - 4];",
    "#pragma acc parallel loop\nfor (int i = 2; i < n; i++) a[i] = a[i - 2] * 2;",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i + 3] = a[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[2 * i] = a[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < 5; i++) a[3 * i + 2] = a[i];",
    "#pragma acc parallel loop\nfor (int i = 1; i < n; i++) { a[i] = b[i]; a[i - 1] = 2; }",
    "#pragma acc kernels\n#pragma acc loop independent\nfor (int i = 1; i < n; i++) a[i] += a[i - 1];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i] = a[0] + b[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) s[0] += a[i];",
    "#pragma acc parallel loop\nfor (int i = 1; i < 64; i++)\nfor (int j = 0; j < 64; j++) c[i][j] = c[i - 1][j];",
    "#pragma acc parallel loop\nfor (int i = 0; i < 64; i++)\n#pragma acc loop\nfor (int j = 1; j < 64; j++) c[i][j] = c[i][j - 1];",
    "#pragma acc parallel loop collapse(2)\nfor (int i = 0; i < 64; i++)\nfor (int j = 1; j < 64; j++) c[i][j] = c[i][j - 1];",
    "#pragma acc parallel loop\nfor (int i = n - 2; i >= 0; i--) a[i] = a[i + 1];",
    "#pragma acc parallel loop\nfor (int i = 1; i < n; i++)\nfor (int j = 0; j < n; j++) a[i * n + j] = a[(i - 1) * n + j];",
    "#pragma acc parallel loop\nfor (int i = 0; i < 100; i++) a[99 - i] = a[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i / 2] += b[i];",
    "#pragma acc kernels loop independent\nfor (int i = 0; i < 100; i++) a[i % 16] += b[i];",
    "#pragma acc parallel loop collapse(2)\nfor (int i = 1; i < 64; i++)\nfor (int j = 1; j < 64; j++) c[i][j] = c[i - 1][j - 1];",
    "#pragma acc parallel loop collapse(2)\nfor (int i = 1; i < n; i++)\nfor (int j = 1; j < m; j++) a[i * m + j] = a[(i - 1) * m + j - 1];",
    "#pragma acc parallel loop\nfor (int i = 1; i < 64; i++)\nfor (int j = 0; j < 63; j++) a[i * 64 + j] = a[(i - 1) * 64 + j + 1];",
    "#pragma acc parallel loop collapse(3)\nfor (int i = 1; i < n; i++) for (int j = 0; j < m; j++)\nfor (int k = 1; k < m; k++) a[(i * m + j) * m + k] = a[((i - 1) * m + j) * m + k - 1];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i % 4 + 1] += b[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i & 3] += b[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < 100; i++) a[x[i] % 16] += b[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < 1000; i++) a[(unsigned char)x[i] >> 4] += b[i];",
    "int h[64] = {0};\n#pragma acc parallel loop\nfor (int i = 0; i < 1000; i++) { int k = x[i]; h[k]++; }",
    "int k = 0;\n#pragma acc parallel loop copy(k)\nfor (int i = 0; i < n; i++) if (b[i] > 0) a[k++] = b[i];",
    "double t = 0;\n#pragma acc parallel loop copy(t)\nfor (int i = 0; i < n; i++) t = t * 0.5 + a[i];",
    "double t = 0;\n#pragma acc parallel loop copy(t)\nfor (int i = 0; i < n; i++) { b[i] = a[i] - t; double v = a[i]; t = v; }",
    "double t = 0;\n#pragma acc parallel loop copyout(t)\nfor (int i = 0; i < n; i++) t = a[i];",
    "double t = 0;\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) { double v = a[i]; a[i] = t; t = v; }",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i / 2] = i;",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i / 4] = 2 * b[i] + 1;",
    "double t = 0; int w = 0;\n#pragma acc parallel loop copy(t, w)\nfor (int i = 0; i < n; i++) if (a[i] > t) { t = a[i]; w = i; }",
];

/// Loops that carry none, or may carry one.
const NOT_ACCUSED: &[&str] = &[
    "#pragma acc parallel loop\nfor (int i = 1; i < n; i++) a[i] = b[i - 1];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i] = a[i + n];",
    "#pragma acc parallel loop\nfor (int i = 0; i < 50; i++) a[99 - i] = a[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[m - i] = a[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i % 16] += b[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < 16; i++) a[i % 16] += b[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < 31; i++) a[x[i] % 16] += b[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < 100; i++) a[x[i] % 16] = 1;",
    "int h[16] = {0};\n#pragma acc parallel loop\nfor (int i = 0; i < 100; i++) h[i & 15] |= 1;",
    "#pragma acc parallel loop\nfor (int i = 0; i < 64; i++) c[i][x[i] % 4]++;",
    "#pragma acc parallel loop\nfor (int i = 0; i < 64; i++) a[i * 4 + x[i] % 4]++;",
    "#pragma acc parallel loop\nfor (int i = 0; i < 64; i++) { double *row = a + i * 4; row[x[i] % 4]++; }",
    "int h[64] = {0};\n#pragma acc parallel loop\nfor (int i = 0; i < 64; i++) h[x[i]]++;",
    "int h[64] = {0};\n#pragma acc parallel loop reduction(+:h)\nfor (int i = 0; i < 1000; i++) h[x[i]]++;",
    "#pragma acc parallel loop collapse(2)\nfor (int i = 1; i < n; i++)\nfor (int j = 0; j < m; j++) a[2 * i * m + j] = a[(2 * i + 1) * m + j];",
    "#pragma acc parallel loop\nfor (int i = 1; i < 64; i++)\nfor (int j = 0; j < 32; j++) a[i * 64 + j] = a[(i - 1) * 64 + j + 32];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i += 2) a[i / 2] += b[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i / 2] = i / 2;",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i / 2] = b[i / 2];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) if (i % 2 == 0) a[i / 2] = i;",
    "int t = 0;\n#pragma acc parallel loop copyout(t)\nfor (int i = 0; i < n; i++) t = m;",
    "double t = 0;\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) { t = a[i]; a[i] = t * t; }",
    "double t = 0;\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) { if (m) t = a[i]; a[i] = t * t; }",
    "int t = 0;\n#pragma acc parallel loop copyout(t)\nfor (int i = 0; i < n; i++) if (i == n - 1) t = i;",
    "int k = 0;\n#pragma acc parallel loop copy(k)\nfor (int i = 0; i < n; i++) if (i == m) a[k++] = b[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i] = a[i + m];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i] = a[i + 8];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i + 16] = a[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < 3; i++) a[i + 3] = a[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < 64; i++) c[0][i] = c[i][0];",
    "#pragma acc parallel loop\nfor (int i = 0; i < 4; i++) c[3 - i][i] = c[i][5 - i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) { a[2 * i] = b[i]; a[2 * i + 1] = a[2 * i]; }",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[7 - i] = a[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < 2; i++) a[2 * i + 2] = a[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) { a[i] = 0; a[2 * i] = 0; }",
    "int t[1] = {0};\nint *p = t;\n#pragma acc parallel loop reduction(+:p[0])\nfor (int i = 0; i < n; i++) (*p)++;",
    "#pragma acc parallel loop\nfor (int i = 0; i < 2; i++) a[i + 2] = a[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < 4; i++) a[i] = a[i + 4];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[2 * i] = a[2 * i + 1];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[x[i]] = a[x[i] + 1];",
    "#pragma acc parallel loop\nfor (int i = 1; i < n; i++) if (b[i] > 0) a[i] = a[i - 1];",
    "#pragma acc parallel loop\nfor (int i = 1; i < n; i++) a[i] = b[i] > 0 ? a[i - 1] : 0;",
    "#pragma acc parallel loop\nfor (int i = 1; i < n; i++) a[i] = m && a[i - 1];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[0] = 1;",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) {\n#pragma acc atomic update\ns[0] += a[i];\n}",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) {\ndouble k;\n#pragma acc atomic capture\nk = s[0]++;\na[(int)k] = b[i];\n}",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) {\ndouble t;\n#pragma acc atomic capture\n{ t = s[0]; s[0] = b[i]; }\na[i] = t;\n}",
    "#pragma acc parallel loop reduction(+:s[0:1])\nfor (int i = 0; i < n; i++) s[0] += a[i];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) { double t[2]; t[0] = a[i]; t[1] = t[0]; b[i] = t[1]; }",
    "#pragma acc parallel loop private(b[0:2])\nfor (int i = 0; i < n; i++) { b[0] = a[i]; a[i] = b[0]; }",
    "#pragma acc parallel loop seq\nfor (int i = 1; i < n; i++) a[i] = a[i - 1];",
    "#pragma acc kernels\nfor (int i = 1; i < n; i++) a[i] = a[i - 1];",
    "#pragma acc parallel loop\nfor (int i = 0; i < 64; i++)\nfor (int j = 1; j < 64; j++) c[i][j] = c[i][j - 1];",
    "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i] += b[j];",
    "#pragma acc parallel loop\nfor (int i = 1; i < n; i++) { if (i > m) continue; a[i] = a[i - 1]; }",
    "int t = 0;\n#pragma acc parallel loop copy(t)\nfor (int i = 0; i < n; i++) if (a[i] > 0) t = 1;",
    "int t = 0;\n#pragma acc parallel loop copy(t)\nfor (int i = 0; i < n; i++) if (!t && a[i] > 0) t = 1;",
    "int t = 0;\n#pragma acc parallel loop copy(t)\nfor (int i = 0; i < n; i++) if (m > t) t = m;",
    "int t = 0;\n#pragma acc parallel loop copy(t)\nfor (int i = 0; i < n; i++) t |= m;",
    "int t = 0;\n#pragma acc parallel loop copy(t)\nfor (int i = 0; i < n; i++) { b[i] = t; if (i == m) t = i; }",
    "int t = 0;\n#pragma acc parallel loop copy(t)\nfor (int i = 0; i < n; i++) {\n#pragma acc atomic update\nt += i;\n}",
    "double t = 0;\n#pragma acc parallel loop reduction(+:t)\nfor (int i = 0; i < n; i++) t += a[i];",
    "double t = 0;\n#pragma acc parallel loop copy(t)\nfor (int i = 0; i < n; i++) t += a[i];",
    "double t = 0;\n#pragma acc parallel loop reduction(max:t)\nfor (int i = 0; i < n; i++) if (a[i] > t) t = a[i];",
    "double t = 0;\n#pragma acc parallel loop private(t)\nfor (int i = 0; i < n; i++) { t = a[i]; t = t * 2 + i; b[i] = t; }",
    "double t = 0;\n#pragma acc parallel loop copy(t)\nfor (int i = 0; i < 1; i++) t = t * 0.5 + a[i];",
    "double t = 0;\n#pragma acc serial loop copy(t)\nfor (int i = 0; i < n; i++) t = t * 0.5 + a[i];",
];

#[test]
fn loops_that_carry_a_dependence_for_certain() {
    for code in DEPENDENT {
        let said = said(&function(code), "");
        assert!(said.contains("warning[A0469]"), "{code}\n{said}");
        assert_eq!(said.matches("A0469").count(), 1, "{code}\n{said}");
    }
    for (subscript, least) in [("i + 4", 4), ("2 * i", 2), ("3 * i", 3), ("i % 4", 4)] {
        let code = format!(
            "#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[{subscript}] += a[i];"
        );
        let folder = Folder::with(&[("f.c", function(&code).as_str())]);
        let said = folder.accrs("check f.c").stderr;
        let said = String::from_utf8_lossy(&said);
        let note = format!("note: if the loop has more than {least} iterations");
        assert!(said.contains(&note), "{code}\n{said}");
    }
}

#[test]
fn no_loop_is_accused_that_may_be_right() {
    for code in NOT_ACCUSED {
        let said = said(&function(code), "");
        assert!(!said.contains("A0469"), "{code}\n{said}");
    }
}
