//! What a misspelled name may have meant.

/// Variables that kernels of CUDA have.
pub(super) const OF_CUDA: [&str; 5] = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];

/// The header that declares a function of the standard library, for the
/// functions that programs forget most.
pub(super) fn header_of(function: &str) -> Option<&'static str> {
    const HEADERS: &[(&str, &str)] = &[
        (
            "<stdio.h>",
            "printf fprintf sprintf snprintf puts putchar fopen fclose fgets fputs fread \
             fwrite scanf sscanf fscanf perror fflush fseek",
        ),
        (
            "<stdlib.h>",
            "malloc calloc realloc free exit abort atoi atof atol strtol strtod rand srand \
             qsort getenv abs labs posix_memalign",
        ),
        (
            "<string.h>",
            "memcpy memset memmove memcmp strlen strcmp strncmp strcpy strncpy strcat strchr \
             strstr strerror strdup",
        ),
        ("<math.h>", MATHEMATICS),
        ("<assert.h>", "assert"),
        ("<time.h>", "time clock clock_gettime"),
        ("<sys/time.h>", "gettimeofday"),
    ];
    const MATHEMATICS: &str = "sqrt sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 log log2 log10 pow \
        fabs floor ceil round fmod fmin fmax cbrt hypot erf lround trunc fma";
    let is_in = |names: &str, name: &str| names.split(' ').any(|known| known == name);
    let header = HEADERS.iter().find(|(_, names)| is_in(names, function));
    match function.strip_suffix('f') {
        _ if header.is_some() => header.map(|(header, _)| *header),
        Some(double) if is_in(MATHEMATICS, double) => Some("<math.h>"),
        _ if function.starts_with("acc_") => Some("<openacc.h>"),
        _ if function.starts_with("omp_") => Some("<omp.h>"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_known_for_both_precisions() {
        assert_eq!(header_of("sqrtf"), Some("<math.h>"));
        assert_eq!(header_of("puts"), Some("<stdio.h>"));
        assert_eq!(header_of("solve"), None);
    }
}
