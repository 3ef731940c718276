//! Arrays that launches get: the host's are copied (section III-B).

use std::ops::Range;

use crate::front::cuda::memory::{Array, Scope};
use crate::front::cuda::{Fun, Launch};

/// An argument for a parameter that is a pointer.
pub struct Given {
    /// Its tokens.
    pub argument: Range<usize>,
    /// The array that it is in, if that is known.
    pub array: Option<Array>,
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
    let of = |(argument, _): (Range<usize>, _)| Given {
        array: scope.array_in(fun, argument.clone()),
        argument,
    };
    arrays.map(of).collect()
}
