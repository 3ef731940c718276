//! What a misspelled name may have meant.

/// Variables that kernels of CUDA have.
pub(super) const OF_CUDA: [&str; 5] = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];

/// The candidates that are spelled most like `name`, as a list for a message, if any is
/// close: one edit for short names, two for longer ones, and none for a letter but its case. Those that are equally close are
/// all named, by alphabet.
pub(super) fn closest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<String> {
    let most = match name.len() {
        0 | 1 => 0,
        2..=4 => 1,
        _ => 2,
    };
    // Another case is no edit.
    let edits = |candidate: &str| match candidate.eq_ignore_ascii_case(name) {
        true => 0,
        false => strsim::osa_distance(name, candidate),
    };
    let mut found: Vec<(usize, &str)> = candidates
        .filter(|candidate| {
            candidate.len().abs_diff(name.len()) <= most && !candidate.starts_with("__")
        })
        .map(|candidate| (edits(candidate), candidate))
        .filter(|(edits, _)| *edits <= most)
        .collect();
    found.sort_unstable();
    found.dedup();
    let least = found.first()?.0;
    let nearest = found
        .iter()
        .take_while(|(edits, _)| *edits == least)
        .take(5);
    let names: Vec<String> = nearest.map(|(_, name)| format!("`{name}`")).collect();
    Some(names.join(", "))
}

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
    fn the_nearest_name_wins() {
        let names = ["temperature", "temp", "power", "__temq"];
        let near = |name: &str| closest(name, names.into_iter());
        assert_eq!(near("temperatur").as_deref(), Some("`temperature`"));
        assert_eq!(near("temq").as_deref(), Some("`temp`"));
        assert_eq!(near("pwoer").as_deref(), Some("`power`"));
        assert_eq!(near("pressure"), None);
        assert_eq!(closest("t", ["f"].into_iter()), None);
        assert_eq!(closest("N", ["n", "m"].into_iter()).as_deref(), Some("`n`"));
    }

    #[test]
    fn names_that_are_equally_near_are_all_named() {
        let near = |name: &str, names: [&str; 3]| closest(name, names.into_iter());
        let sums = ["sum2", "sum1", "summary"];
        assert_eq!(near("sum3", sums).as_deref(), Some("`sum1`, `sum2`"));
        assert_eq!(near("aa", ["b", "ab", "a"]).as_deref(), Some("`a`, `ab`"));
    }

    #[test]
    fn headers_are_known_for_both_precisions() {
        assert_eq!(header_of("sqrtf"), Some("<math.h>"));
        assert_eq!(header_of("puts"), Some("<stdio.h>"));
        assert_eq!(header_of("solve"), None);
    }
}
