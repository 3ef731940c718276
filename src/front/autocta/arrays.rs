//! Arrays that launches get: the host's are copied (section III-B).
//!
//! ```text
//! add<<<…>>>(n, x + 1)              x is shared
//! add<<<…>>>(n, first ? x : y)      x and y are shared
//! add<<<…>>>(n, p)                  with int *p = x + 4; p and x are shared
//! add<<<…>>>(n, first ? x : at(y))  a warning: what at gives may be the host's memory
//! ```

use std::ops::Range;

use crate::front::cuda::memory::{Array, Owner, Scope};
use crate::front::cuda::{Fun, Launch};

/// An argument for a parameter that is a pointer.
pub struct Given {
    /// Its tokens.
    pub argument: Range<usize>,
    /// The arrays that it may be in, as far as they are known.
    pub arrays: Vec<Array>,
    /// It may be in other memory, too.
    pub is_open: bool,
}

impl Given {
    /// Whether it may be the host's memory as well as other, which a kernel cannot get together.
    pub fn is_mixed(&self) -> bool {
        let is_host = |one: &Array| one.owner == Owner::Host;
        let hosts = self.arrays.iter().filter(|one| is_host(one)).count();
        hosts > 0 && (self.is_open || hosts < self.arrays.len())
    }
}

/// The arrays that a launch gets; none where its kernel is not in these files.
pub fn given(scope: Scope<'_>, kernels: &[Fun], launch: &Launch) -> Vec<Given> {
    let tokens = scope.tokens;
    let around = |fun: &&Fun| fun.body().contains(&launch.kernel);
    let Some(fun) = scope.functions.iter().find(around) else {
        return Vec::new();
    };
    // `name<…>`
    let is_name = |at: &usize| tokens.is_name(*at) && *at < launch.open;
    let name = (launch.kernel..launch.open)
        .take_while(|at| tokens.at(*at) != b"<")
        .filter(is_name)
        .last();
    let named = |name: usize| {
        let word = tokens.word(name);
        let mut of_name = kernels.iter().filter(move |one| one.name == word);
        of_name.find(|one| one.is_kernel)
    };
    let Some(kernel) = name.and_then(named) else {
        return Vec::new();
    };
    let inside = launch.arguments + 1..tokens.bracket_end(launch.arguments);
    let arguments = tokens.parts(inside).into_iter().zip(&kernel.parameters);
    let arrays = arguments.filter(|(_, parameter)| parameter.is_pointer);
    let of = |(argument, _): (Range<usize>, _)| {
        let unknown = scope.unknown_in(fun, argument.clone());
        let mut arrays = scope.arrays_in(fun, argument.clone());
        let targets: Vec<Array> = (arrays.iter())
            .flat_map(|one| one.targets.clone())
            .collect();
        arrays.extend(targets);
        Given {
            arrays,
            is_open: scope.hides(&argument) || !unknown.is_empty(),
            argument,
        }
    };
    arrays.map(of).collect()
}
