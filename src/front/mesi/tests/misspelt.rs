//! Names near those of indices.

use super::translated_with;

#[test]
fn misspelt_indices_are_errors() {
    let wrong = |kernel: &str| translated_with(kernel, "");
    let kernel = |word: &str| format!("__global__ void wrong() {{ a[{word}.x] = 1; }}\n");
    for word in ["lthreadIdx", "lThreadIDx", "lThredIdx", "lGridDims"] {
        assert_eq!(wrong(&kernel(word)), format!("`{word}` is not declared"));
    }
    for right in [
        "__device__ int3 lThreadIdy;\n__device__ int other() { return lThreadIdy.x; }\n",
        "#define OWN int3 threadIds\n__device__ int other() { OWN; return threadIds.x; }\n",
    ] {
        assert!(!wrong(right).contains("not declared"), "{right}");
    }
}
