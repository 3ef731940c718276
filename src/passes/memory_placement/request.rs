//! What users ask for with `--place ARRAY=SPACE`.
//!
//! A request is for all kernels that use an array of that name. Where one
//! cannot follow it, that kernel does without; where none can, that is an
//! error.

use std::str::FromStr;

use super::arrays;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::Module;
use crate::source::Span;
use crate::typed::{SymbolId, Unit};

/// A memory that an array is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Device memory, as what is written.
    Global,
    /// Device memory, through the read-only path.
    ReadOnly,
    /// A copy in constant memory.
    Constant,
    /// Windows in shared memory.
    Window,
}

impl Space {
    const ALL: [(&'static str, Self); 4] = [
        ("global", Self::Global),
        ("read-only", Self::ReadOnly),
        ("constant", Self::Constant),
        ("window", Self::Window),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, space)| *space == self);
        found.map_or("", |(name, _)| name)
    }
}

/// An array's name, and where it is to be read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacementRequest {
    /// The name of the variable.
    pub array: String,
    /// The memory.
    pub space: Space,
}

impl FromStr for PlacementRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || {
            let names = Space::ALL.map(|(name, _)| name).join(", ");
            format!("`{text}` is not of the form ARRAY=SPACE with one of {names}")
        };
        let (array, space) = text.split_once('=').ok_or_else(form)?;
        if array.is_empty() {
            return Err(form());
        }
        let found = Space::ALL.iter().find(|(name, _)| *name == space);
        let (_, space) = found.ok_or_else(form)?;
        Ok(Self {
            array: array.to_owned(),
            space: *space,
        })
    }
}

/// Where an array is asked to be; the last request counts.
pub fn asked(requests: &[PlacementRequest], array: SymbolId, unit: &Unit) -> Option<Space> {
    let name = &unit.symbol(array).name;
    let own = requests.iter().rfind(|request| request.array == *name);
    own.map(|request| request.space)
}

/// Warns of requests for arrays that no kernel uses.
pub fn check_names(
    module: &Module,
    unit: &Unit,
    requests: &[PlacementRequest],
    diagnostics: &mut Diagnostics,
) {
    let Some(first) = module.kernels.first() else {
        return;
    };
    for request in requests {
        let mut arrays = module.kernels.iter().flat_map(arrays);
        if !arrays.any(|array| unit.symbol(array).name == request.array) {
            let name = &request.array;
            let message = format!("`--place` names `{name}`, and no kernel has such an array");
            let warning = Diagnostic::warning(codes::PLACEMENT_REFUSED, message, first.directive);
            diagnostics.push(
                warning.help("give the name of the array or pointer as the construct uses it"),
            );
        }
    }
}

/// Whether kernels could follow the requests for one space.
#[derive(Default)]
pub struct Answers {
    refused: Vec<(SymbolId, Span, String)>,
    followed: Vec<SymbolId>,
}

impl Answers {
    /// A kernel follows.
    pub fn follow(&mut self, array: SymbolId) {
        self.followed.push(array);
    }

    /// The kernel of this directive cannot.
    pub fn refuse(&mut self, array: SymbolId, directive: Span, reason: &str) {
        self.refused.push((array, directive, reason.to_owned()));
    }

    /// Reports requests that no kernel could follow.
    pub fn report(self, space: Space, unit: &Unit, diagnostics: &mut Diagnostics) {
        let name = |array: SymbolId| &unit.symbol(array).name;
        let mut reported = Vec::new();
        for (array, directive, reason) in self.refused {
            let same = |other: &SymbolId| name(*other) == name(array);
            if self.followed.iter().any(same) || reported.iter().any(same) {
                continue;
            }
            reported.push(array);
            let message = format!(
                "`--place {0}={1}` cannot be followed: {reason}",
                name(array),
                space.name(),
            );
            let error = Diagnostic::error(codes::PLACEMENT_REFUSED, message, directive);
            let error = error.also(unit.symbol(array).span, "the array");
            diagnostics.push(
                error.help("leave the option out for this array; what each memory asks for is in the explanation"),
            );
        }
    }
}
