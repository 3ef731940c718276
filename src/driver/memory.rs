//! Whether host and device have memory of their own.

/// How the program's data comes to kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Memory {
    /// Device and host have memory of their own: data clauses copy
    #[default]
    Separate,
    /// Kernels use the host's memory: nothing is copied
    Unified,
}

impl Memory {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Separate => "separate",
            Self::Unified => "unified",
        }
    }

    /// What the constructs of an object that `cc` has made are built for; `None` where it has none.
    pub fn of_object(bytes: &[u8]) -> Option<Self> {
        let has = |name: &str| memchr::memmem::find(bytes, name.as_bytes()).is_some();
        match has("accrs_unified") {
            true => Some(Self::Unified),
            false => has("accrs_begin").then_some(Self::Separate),
        }
    }

    /// Whether nothing is copied.
    pub fn is_unified(self) -> bool {
        self == Self::Unified
    }
}
