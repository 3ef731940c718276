//! What a program is built for: an NVIDIA GPU, the host's cores or the emulation.

use super::failure::Failure;
use super::toolchain;
use super::variables::Variables;
use crate::diagnostic::{Diagnostic, codes};

/// How many threads of the host run the blocks of the emulation. With one, what is found and counted
/// does not depend on how they take turns, as it does in programs with races and atomics.
pub const PROCESSORS: &str = "ACCRS_EMULATED_PROCESSORS";

/// The targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Device {
    /// An NVIDIA GPU, through nvcc.
    Gpu,
    /// The emulation, through the C++ compiler; needs no GPU.
    Emulated,
    /// The host's cores, through OpenMP of the C compiler; what only kernels
    /// can do is emulated.
    Multicore,
}

impl Device {
    /// Its name on the command line, in symbols and in folder names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Emulated => "emulated",
            Self::Multicore => "multicore",
        }
    }
}

/// The device to build for: the option, else `ACC_DEVICE_TYPE`, else the GPU
/// where there are one and nvcc.
///
/// # Errors
/// When `ACC_DEVICE_TYPE` names no device.
pub fn choose(option: Option<Device>, variables: Variables) -> Result<Device, Failure> {
    if let Some(device) = option {
        return Ok(device);
    }
    if let Some(value) = variables("ACC_DEVICE_TYPE") {
        return from_variable(&value.to_string_lossy());
    }
    let gpu = toolchain::gpu_present() && toolchain::nvcc(variables).is_ok();
    Ok(if gpu { Device::Gpu } else { Device::Emulated })
}

/// Reads OpenACC's own variable, whose values compilers define; case does not
/// matter (OpenACC 4.1.1).
fn from_variable(value: &str) -> Result<Device, Failure> {
    match value.to_ascii_lowercase().as_str() {
        "gpu" | "nvidia" | "not_host" => Ok(Device::Gpu),
        "emulated" | "host" => Ok(Device::Emulated),
        "multicore" => Ok(Device::Multicore),
        _ => {
            let message = format!("ACC_DEVICE_TYPE names no device: `{value}`");
            let wrong = Diagnostic::global(codes::BAD_USAGE, message);
            Err(wrong
                .help("set it to `gpu`, `multicore` or `emulated`")
                .into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_wins_over_variable() {
        let variables = |name: &str| (name == "ACC_DEVICE_TYPE").then(|| "NVIDIA".into());
        assert_eq!(choose(None, &variables).unwrap(), Device::Gpu);
        assert_eq!(from_variable("Multicore").unwrap(), Device::Multicore);
        assert_eq!(
            choose(Some(Device::Emulated), &variables).unwrap(),
            Device::Emulated
        );
    }

    #[test]
    fn unknown_device_is_an_error() {
        let variables = |name: &str| (name == "ACC_DEVICE_TYPE").then(|| "quantum".into());
        assert!(matches!(
            choose(None, &variables),
            Err(Failure::Environment(_))
        ));
    }
}
