//! Which arrays a kernel only reads, whatever the pointers are, and through which pointers it writes
//! nothing.
//!
//! ```c
//! void scale(int n, const double *restrict x, double *restrict y)
//! #pragma acc parallel loop
//! for (int i = 0; i < n; i++)   // after: `x` is read-only; without
//!     y[i] = 2 * x[i];          //   `restrict`, only if the launch checks
//! ```

use super::Options;
use super::request::{Answers, Space, asked};
use crate::analysis::effects::{Oracle, Place};
use crate::analysis::scope::Scope;
use crate::diagnostic::Diagnostics;
use crate::ir::{Capture, Kernel, Module, Passing};
use crate::typed::{SymbolId, Unit};

/// Why each array of a kernel is or is not read through the read-only path.
pub type Verdicts = Vec<(SymbolId, String)>;

/// Fills in the read-only arrays of every kernel, and what shares its target.
pub fn run(
    module: &mut Module,
    unit: &Unit,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Vec<Verdicts> {
    let mut answers = Answers::default();
    let decided: Vec<(_, _, _, Verdicts)> = Facts::of_module(module, unit, |kernel, facts| {
        let mut verdicts = Verdicts::new();
        let mut read_only = Vec::new();
        for array in super::arrays(kernel) {
            let found = facts.find(array);
            let space = asked(&options.places, array, unit);
            match (&found, space) {
                (Ok(_), Some(Space::ReadOnly)) => answers.follow(array),
                (Err(reason), Some(Space::ReadOnly)) => {
                    answers.refuse(array, kernel.directive, reason);
                }
                _ => {}
            }
            verdicts.push(match found {
                Ok(_) if space == Some(Space::Global) => (array, "`--place` asks for it".into()),
                Ok(reason) => {
                    read_only.push(array);
                    (array, reason)
                }
                Err(reason) => (array, reason),
            });
        }
        let shared_targets = facts.scope.based.iter().map(|(_, based_on)| *based_on);
        let unwritten = super::arrays(kernel).filter(|&array| facts.is_unwritten(array));
        (
            read_only,
            unwritten.collect(),
            shared_targets.collect(),
            verdicts,
        )
    });
    answers.report(Space::ReadOnly, unit, diagnostics);
    let kernels = module.kernels.iter_mut();
    let fill = kernels.zip(decided).map(
        |(kernel, (read_only, unwritten, shared_targets, verdicts))| {
            kernel.read_only = read_only;
            kernel.unwritten = unwritten;
            kernel.shared_targets = shared_targets;
            verdicts
        },
    );
    fill.collect()
}

/// What a kernel writes, and what that may be.
pub struct Facts<'k> {
    kernel: &'k Kernel,
    unit: &'k Unit,
    scope: Scope,
    written: Vec<Place>,
}

impl<'k> Facts<'k> {
    /// Answers a question about each kernel of a module.
    pub fn of_module<T>(
        module: &Module,
        unit: &Unit,
        mut question: impl FnMut(&Kernel, &Facts<'_>) -> T,
    ) -> Vec<T> {
        let oracle = Oracle::new(unit, &module.functions);
        let kernels = module.kernels.iter();
        let answers = kernels.map(|kernel| question(kernel, &Facts::of(kernel, &oracle, unit)));
        answers.collect()
    }

    /// Looks at what a kernel writes.
    pub fn of(kernel: &'k Kernel, oracle: &Oracle, unit: &'k Unit) -> Self {
        let scope = Scope::of(kernel, unit);
        let writes = oracle.list(&kernel.body).writes;
        let written_back = kernel.windows.iter().filter(|w| w.policy.write_back);
        let written: Vec<Place> = writes
            .into_iter()
            .chain(written_back.map(|window| oracle.place(&window.element)))
            .filter(|&place| !scope.is_private(place))
            .collect();
        Self {
            kernel,
            unit,
            scope,
            written,
        }
    }

    /// Why an array is only read; otherwise why that is not known.
    ///
    /// # Errors
    /// The reason against it.
    pub fn find(&self, array: SymbolId) -> Result<String, String> {
        let capture = self.kernel.capture(array);
        let Some(own) = capture.and_then(own_place) else {
            return Err("the kernel does not get it as an array".into());
        };
        if self.writes(own) {
            return Err("the kernel writes it".into());
        }
        let mut checked = false;
        for &place in &self.written {
            if self.scope.are_disjoint(own, place) {
                checked = true;
            } else if self.scope.may_alias(own, place) {
                return Err(self.may_be_written(place));
            }
        }
        // What goes to a pointer that is not `const` may not be `const`
        // itself, though nothing is written through it.
        if capture.is_some_and(|capture| capture.written) {
            return Err("it goes where it may be written".into());
        }
        Ok(if checked {
            "the kernel only reads it, and runs where the launch finds no overlap with what it \
             writes"
                .into()
        } else {
            "the kernel only reads it, and writes it under no other name".into()
        })
    }

    /// Whether the kernel writes to an array by its name, or through pointers into it.
    fn writes(&self, own: Place) -> bool {
        let mut written = self.written.iter();
        written.any(|place| self.scope.whole(*place) == own)
    }

    /// Whether an array's name may be that of a pointer to `const`.
    fn is_unwritten(&self, array: SymbolId) -> bool {
        let capture = self.kernel.capture(array);
        let own = capture.and_then(own_place);
        capture.is_some_and(|capture| !capture.written) && own.is_some_and(|own| !self.writes(own))
    }

    /// Which of the things written an array may overlap; a pointer that the kernel declares leads to
    /// one of these.
    fn may_be_written(&self, place: Place) -> String {
        match place
            .symbol()
            .filter(|own| self.kernel.capture(*own).is_some())
        {
            Some(other) => format!(
                "it may overlap with `{}`, which the kernel writes: `restrict` rules that out",
                self.unit.symbol(other).name
            ),
            None => "the kernel writes through a pointer that may lead to it".into(),
        }
    }
}

/// The place that a captured array is.
fn own_place(capture: &Capture) -> Option<Place> {
    match capture.passing {
        Passing::Array => Some(Place::Variable(capture.symbol)),
        Passing::Pointer | Passing::DevicePointer => Some(Place::Target(capture.symbol)),
        Passing::Value | Passing::Reference => None,
    }
}
