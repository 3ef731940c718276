//! What a misspelled name may have meant.

/// The candidate that is spelled most like `name`, if one is close: one edit
/// for short names, two for longer ones. Ties go to the first by alphabet.
pub(super) fn closest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let most = match name.len() {
        0..=2 => return None,
        3..=4 => 1,
        _ => 2,
    };
    candidates
        .filter(|candidate| {
            candidate.len().abs_diff(name.len()) <= most && !candidate.starts_with("__")
        })
        .filter_map(|candidate| Some((edits(name, candidate, most)?, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// The number of insertions, deletions, replacements and swaps of neighbours
/// between two words; `None` above `most`.
fn edits(a: &str, b: &str, most: usize) -> Option<usize> {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let replace = last[j] + usize::from(a[i] != b[j]);
            row[j + 1] = replace.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    (last[b.len()] <= most).then_some(last[b.len()])
}

/// The header that declares a function of the standard library, for the
/// functions that programs forget most.
pub(super) fn header_of(function: &str) -> Option<&'static str> {
    const STDIO: &[&str] = &[
        "printf", "fprintf", "sprintf", "snprintf", "puts", "putchar", "fopen", "fclose", "fgets",
        "fputs", "fread", "fwrite", "scanf", "sscanf", "fscanf", "perror", "fflush", "fseek",
    ];
    const STDLIB: &[&str] = &[
        "malloc",
        "calloc",
        "realloc",
        "free",
        "exit",
        "abort",
        "atoi",
        "atof",
        "atol",
        "strtol",
        "strtod",
        "rand",
        "srand",
        "qsort",
        "getenv",
        "abs",
        "labs",
        "posix_memalign",
    ];
    const STRING: &[&str] = &[
        "memcpy", "memset", "memmove", "memcmp", "strlen", "strcmp", "strncmp", "strcpy",
        "strncpy", "strcat", "strchr", "strstr", "strerror", "strdup",
    ];
    const MATH: &[&str] = &[
        "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh",
        "exp", "exp2", "log", "log2", "log10", "pow", "fabs", "floor", "ceil", "round", "fmod",
        "fmin", "fmax", "cbrt", "hypot", "erf", "lround", "trunc", "fma",
    ];
    let single = function.strip_suffix('f').unwrap_or(function);
    match function {
        _ if STDIO.contains(&function) => Some("<stdio.h>"),
        _ if STDLIB.contains(&function) => Some("<stdlib.h>"),
        _ if STRING.contains(&function) => Some("<string.h>"),
        _ if MATH.contains(&function) || MATH.contains(&single) => Some("<math.h>"),
        "assert" => Some("<assert.h>"),
        "time" | "clock" | "clock_gettime" => Some("<time.h>"),
        "gettimeofday" => Some("<sys/time.h>"),
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
        assert_eq!(
            closest("temperatur", names.into_iter()),
            Some("temperature")
        );
        assert_eq!(closest("temq", names.into_iter()), Some("temp"));
        assert_eq!(closest("pwoer", names.into_iter()), Some("power"));
        assert_eq!(closest("pressure", names.into_iter()), None);
        assert_eq!(closest("te", ["tf"].into_iter()), None);
    }

    #[test]
    fn headers_are_known_for_both_precisions() {
        assert_eq!(header_of("sqrtf"), Some("<math.h>"));
        assert_eq!(header_of("puts"), Some("<stdio.h>"));
        assert_eq!(header_of("solve"), None);
    }
}
