//! GPU architectures: `--arch sm_90`.

use super::toolchain;

/// A compute capability, 90 for `sm_90`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Arch(pub u16);

/// What is built where no GPU answers and no `--arch` is given.
pub const DEFAULT: [Arch; 4] = [Arch(75), Arch(80), Arch(90), Arch(120)];

/// Reads `sm_90`, `compute_90`, `cc90` or `90`.
///
/// # Errors
/// A message when it is none of these.
pub fn parse(text: &str) -> Result<Arch, String> {
    let digits = ["sm_", "compute_", "cc"]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix))
        .unwrap_or(text);
    match digits.parse() {
        Ok(number) if (50..=200).contains(&number) => Ok(Arch(number)),
        _ => Err(format!(
            "`{text}` is no architecture; one looks like `sm_90`"
        )),
    }
}

/// nvcc's flags for these architectures: machine code of each and, for GPUs
/// to come, the highest one's intermediate code. None means the GPU of this
/// machine, or [`DEFAULT`] without one.
pub fn flags(archs: &[Arch]) -> Vec<String> {
    if archs.is_empty() && toolchain::gpu_present() {
        return vec!["-arch=native".into()];
    }
    explicit_flags(if archs.is_empty() { &DEFAULT } else { archs })
}

/// nvcc's flags for device code that is linked with that of other files: if
/// `in_time`, in the form that the linker itself compiles, so that calls
/// between files cost what others do.
pub fn relocatable_flags(archs: &[Arch], in_time: bool) -> Vec<String> {
    let mut flags = flags(archs);
    if !in_time {
        return flags;
    }
    if flags.iter().any(|flag| flag == "-arch=native") {
        flags.push("-dlto".into());
        return flags;
    }
    for flag in &mut flags {
        *flag = flag.replace("code=sm_", "code=lto_");
    }
    flags
}

/// The flags for a list that does not depend on this machine.
pub fn explicit_flags(archs: &[Arch]) -> Vec<String> {
    let machine = archs
        .iter()
        .map(|Arch(number)| format!("arch=compute_{number},code=sm_{number}"));
    let highest = archs
        .iter()
        .max()
        .map(|Arch(number)| format!("arch=compute_{number},code=compute_{number}"));
    machine
        .chain(highest)
        .flat_map(|value| ["-gencode".to_owned(), value])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        assert_eq!(parse("sm_90"), Ok(Arch(90)));
        assert_eq!(parse("cc80"), Ok(Arch(80)));
        assert!(parse("hopper").is_err() && parse("sm_9").is_err());
    }

    #[test]
    fn relocatable_code_is_compiled_by_the_linker() {
        let archs = [Arch(90)];
        assert_eq!(
            relocatable_flags(&archs, true).join(" "),
            "-gencode arch=compute_90,code=lto_90 -gencode arch=compute_90,code=compute_90"
        );
        assert_eq!(relocatable_flags(&archs, false), flags(&archs));
    }

    #[test]
    fn highest_gets_intermediate_code() {
        assert_eq!(
            explicit_flags(&[Arch(90), Arch(75)]).join(" "),
            "-gencode arch=compute_90,code=sm_90 -gencode arch=compute_75,code=sm_75 \
             -gencode arch=compute_90,code=compute_90"
        );
    }
}
