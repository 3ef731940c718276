//! Elements that one thread alone uses are in a register; where that is not known they stay in memory.

use crate::Folder;
use crate::support::nvcc;

/// Sums of rows, and running values of elements that have some.
const SUMS: &str = "\
#include <cstdio>
__global__ void sums(int n, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 0;
        for (int k = 0; k < n; k++) {
            if (k % 3 == 1)
                continue;
            y[i] += x[k] * (i % 7);
        }
        y[i] *= 2;
    }
}
__global__ void decay(int n, const float *x, double *z)
{
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= n)
        return;
    z[i] -= 1;
    for (int k = 0; k < 5; k++)
        z[i] = z[i] * 0.5 + x[(i + k) % n];
}
int main()
{
    float *x = new float[300], *y = new float[300];
    double *z = new double[300];
    for (int i = 0; i < 300; i++) {
        x[i] = i % 11;
        z[i] = i;
    }
#pragma AUTO-CTA 300
    sums<<<10, 32>>>(300, x, y);
#pragma AUTO-CTA 300
    decay<<<10, 32>>>(300, x, z);
    for (int i = 0; i < 300; i++)
        printf(\"%a %a\\n\", y[i], z[i]);
    delete[] x;
    delete[] y;
    delete[] z;
}
";

fn translated(text: &str) -> String {
    let folder = Folder::with(&[("sums.cu", text)]);
    folder.succeed("translate sums.cu -o out");
    folder.read("out/sums.acc.cu")
}

#[test]
fn elements_of_one_thread_are_in_a_register() {
    let folder = Folder::with(&[("sums.cu", SUMS)]);
    folder.succeed("cc sums.cu -o sums");
    let (mut x, mut wanted) = ([0_f32; 300], String::new());
    x.iter_mut()
        .enumerate()
        .for_each(|(i, x)| *x = (i % 11) as f32);
    let mut z = [0_f64; 300];
    for i in 0..300 {
        let kept = (0..300).filter(|k| k % 3 != 1);
        let sum = kept.fold(0_f32, |sum, k| sum + x[k] * (i % 7) as f32) * 2.0;
        z[i] = (0..5).fold(i as f64 - 1.0, |z, k| z * 0.5 + f64::from(x[(i + k) % 300]));
        wanted += &format!("{sum} {}\n", z[i]);
    }
    for order in ["forward", "reverse", "1"] {
        let mut run = folder.command("./sums");
        let output = run.env("ACCRS_SCHEDULE", order).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        // C prints the bits, which are read back.
        let read: Vec<f64> = printed.split_whitespace().map(hexadecimal).collect();
        let expected: Vec<f64> = wanted
            .split_whitespace()
            .map(|word| word.parse().unwrap())
            .collect();
        assert_eq!(read, expected, "{order}");
    }
    folder.succeed("check --dynamic sums.cu");

    folder.succeed("translate sums.cu -o out");
    let text = folder.read("out/sums.acc.cu");
    for line in [
        "        float y_own = 0;\n",
        "            y_own += x[k] * (i % 7);\n",
        "        y_own *= 2;\n        y[i] = y_own;\n    }\n",
        "    double z_own = z[i];\n    z_own -= 1;\n",
        "        z_own = z_own * 0.5 + x[(i + k) % n];\n    z[i] = z_own;\n}\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    for (from, to, line) in [
        (
            "y[i] = 0;",
            "y[i] = 0, n += 0;",
            "float y_own = y[i];\n        y_own = 0, n += 0;",
        ),
        ("float *y)", "float *__restrict__ y)", "float y_own = 0;"),
    ] {
        let text = translated(&SUMS.replacen(from, to, 1));
        assert!(text.contains(line), "{text}");
    }
    let file = folder.file("out/sums.acc.cu");
    nvcc::compile(&file, &folder.file("object.o"), &[75, 90, 120]).unwrap();
}

/// The value of `%a`.
fn hexadecimal(word: &str) -> f64 {
    let (sign, word) = match word.strip_prefix('-') {
        Some(word) => (-1.0, word),
        None => (1.0, word),
    };
    let (digits, exponent) = word.strip_prefix("0x").unwrap().split_once('p').unwrap();
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let number = u64::from_str_radix(&format!("{whole}{rest}"), 16).unwrap() as f64;
    let exponent: i32 = exponent.parse().unwrap();
    sign * number * 2_f64.powi(exponent - 4 * i32::try_from(rest.len()).unwrap())
}

#[test]
fn elements_that_others_may_use_or_that_may_not_be_there_stay_in_memory() {
    assert!(translated(SUMS).contains("y_own"));
    for (from, to) in [
        ("y[i] = 0;", "if (k0) y[i] = 0;"),
        ("y[i] = 0;", "n > 3 ? y[i] = 0 : 0;"),
        ("y[i] = 0;", "y[i + 1] = 0;"),
        ("y[i] = 0;", "y[0] = 0;"),
        ("y[i] = 0;", "i += 0; y[i] = 0;"),
        ("y[i] = 0;", "float *p = y + i; y[i] = 0;"),
        ("y[i] *= 2;", "*y *= 2;"),
        ("y[i] *= 2;", "if (n) *(y + i) *= 2;"),
        ("y[i] *= 2;", "y[n - 1] *= 2;"),
        ("y[i] *= 2;", "if (n == 3) return; y[i] *= 2;"),
        ("y[i] += x[k]", "y[i] += y[k]"),
        ("(300, x, y)", "(300, y, y)"),
        ("(300, x, y)", "(300, y + 1, y)"),
        ("float *y)", "volatile float *y)"),
        ("const int i = blockIdx.x", "const int i = 2 * blockIdx.x"),
        ("const int i", "const short i"),
        (
            "for (int k = 0; k < n; k++) {",
            "for (int k = 0; k < n; k++) { y[i] = 1; } { int k = 1; do {} while (0); if (n) goto end;",
        ),
        ("y[i] *= 2;\n    }", "}\n    y[i] *= 2;"),
    ] {
        assert!(SUMS.contains(from), "{from}");
        let text = SUMS.replacen(from, to, 1).replace("k0", "n > 5");
        let text = text.replace("goto end;", "goto end; end:;");
        let text = match to.contains("i += 0") {
            true => text.replace("const int i", "int i"),
            false => text,
        };
        assert!(!translated(&text).contains("y_own"), "{to}");
    }
}
