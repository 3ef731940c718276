//! Which thread touches which elements of an array in a loop that the threads of a block share.
//!
//! Thread `k` of `n` runs the iterations `k`, `k + n`, `k + 2n`, … of a loop, whatever its bound
//! ([`Distribution`]). So each element has one owner for two loops with one distribution, if no two
//! *different* iterations, one of each loop, touch the same element ([`dependence`]):
//!
//! ```c
//! #pragma acc loop vector
//! for (int i = 0; i < n; i++)
//!     a[i] = 1;                  // iteration k: a[k]
//! #pragma acc loop vector
//! for (int i = 1; i < m; i++)
//!     a[i - 1] += 2;             // iteration k: a[k], of the same thread
//! #pragma acc loop vector
//! for (int i = 1; i < m; i++)
//!     a[i] += 2;                 // iteration k: a[k + 1], of the next one
//! ```
//!
//! Input: two such loops. What is said holds as long as no variable changes in between that subscripts,
//! sizes and bounds of loops inside mention ([`Ownership::mentions`]), and while all threads agree on
//! these; the caller knows both. Nothing is said of loops that are numbered together, of tiles, and
//! of arrays that the header reads, which all threads evaluate.

use std::rc::Rc;

use indexmap::IndexMap;

use super::dependence::{self, Answer, Nest};
use super::effects::{Oracle, Place};
use super::polynomial::{Polynomial, Term};
use super::scope::Scope;
use super::subscripts::{self, Element, Subscript};
use crate::ir::{Distribution, Loop, Statement, StatementKind, visit};
use crate::typed::{ExpressionKind, SymbolId};

/// Arrays with more different accesses in a loop are not looked at.
const MOST_ACCESSES: usize = 32;

/// What the iterations of a loop touch of one array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ownership {
    /// Who runs which iteration.
    distribution: Distribution,
    /// The array, or the pointer to it.
    root: Place,
    /// Its elements; the loop is number 0.
    elements: Vec<Vec<Subscript>>,
    /// Highest iteration of each loop.
    last: Vec<Option<Polynomial>>,
    /// The variables in all this, ascending.
    symbols: Vec<SymbolId>,
}

impl Ownership {
    /// Whether no thread touches an element that another one touches in the other loop.
    pub fn agrees(&self, other: &Self) -> bool {
        self.distribution == other.distribution
            && self.root == other.root
            && self.is_apart(other).unwrap_or(false)
    }

    /// Whether different iterations touch different elements.
    fn is_apart(&self, other: &Self) -> Option<bool> {
        let mut last = self.last.clone();
        let is_alike = self.last == other.last;
        if self.last.first() != other.last.first() {
            *last.first_mut()? = None;
        }
        let other = match is_alike {
            true => other.clone(),
            false => other.renumbered(last.len().checked_sub(1)?)?,
        };
        if !is_alike {
            last.extend(other.last.into_iter().skip(1));
        }
        let nest = Nest { tested: 0, last };
        let is_independent = |f: &Vec<Subscript>, g: &Vec<Subscript>| {
            dependence::test(f, g, &nest) == Answer::Independent
        };
        let mut all = self.elements.iter();
        Some(all.all(|f| other.elements.iter().all(|g| is_independent(f, g))))
    }

    /// The same with numbers for the loops inside that are higher by so much.
    fn renumbered(&self, by: usize) -> Option<Self> {
        let optional = |e: &Option<Polynomial>| match e {
            Some(e) => renumbered(e, by).map(Some),
            None => Some(None),
        };
        let subscript = |step: &Subscript| {
            Some(Subscript {
                value: optional(&step.value)?,
                ..step.clone()
            })
        };
        let element = |steps: &Vec<Subscript>| steps.iter().map(subscript).collect();
        Some(Self {
            elements: self.elements.iter().map(element).collect::<Option<_>>()?,
            last: self.last.iter().map(optional).collect::<Option<_>>()?,
            ..self.clone()
        })
    }

    /// Whether it says nothing any more once this variable has another value.
    pub fn mentions(&self, symbol: SymbolId) -> bool {
        self.symbols.binary_search(&symbol).is_ok()
    }
}

/// A polynomial with higher numbers for the loops inside.
fn renumbered(e: &Polynomial, by: usize) -> Option<Polynomial> {
    let mut inner = e.iterations().into_iter().rev().filter(|n| *n > 0);
    inner.try_fold(e.clone(), |e, n| {
        let moved = Polynomial::variable(Term::Iteration(n + by));
        e.substitute(Term::Iteration(n), &moved)
    })
}

/// The arrays of which something is known in a loop that threads of a block share. `is_steady` says
/// whether threads agree on a variable, and whether it changes only where it is named.
pub fn of(
    l: &Loop,
    oracle: &Oracle,
    scope: &Scope,
    is_steady: &dyn Fn(SymbolId) -> bool,
) -> IndexMap<Place, Rc<Ownership>> {
    let mut found = IndexMap::new();
    if !is_plain(l) {
        return found;
    }
    let elements = subscripts::collect(l, &Default::default(), oracle);
    if elements.wraps {
        return found;
    }
    let mut by_place: IndexMap<Place, Vec<&Element>> = IndexMap::new();
    for element in &elements.list {
        by_place
            .entry(place(element, oracle))
            .or_default()
            .push(element);
    }
    let own = own_copies(l);
    let by_all = l.limits().map(|e| oracle.expression(e).reads);
    for (place, list) in by_place {
        let is_read_by_all = by_all.iter().flatten().any(|&p| scope.may_alias(p, place));
        let root = root(&list, place, scope).filter(|_| !is_read_by_all);
        let Some(root) = root.filter(|_| !scope.is_private(place)) else {
            continue;
        };
        let ownership = ownership(l, root, &list, &elements.last);
        let is_known = |one: &Ownership| {
            let mut symbols = one.symbols.iter();
            symbols.all(|symbol| !own.contains(symbol) && is_steady(*symbol))
        };
        if let Some(known) = ownership.filter(is_known) {
            found.insert(place, Rc::new(known));
        }
    }
    found
}

/// Whether a loop is counted by itself, and its body is code of one thread that comes to its end.
fn is_plain(l: &Loop) -> bool {
    let is_code = |s: &Statement| match &s.kind {
        StatementKind::Loop(inner) => !inner.is_distributed() && inner.tile.is_none(),
        StatementKind::Expression(_)
        | StatementKind::Declaration(_)
        | StatementKind::Block(_)
        | StatementKind::If(..)
        | StatementKind::For(_)
        | StatementKind::While(..)
        | StatementKind::DoWhile(..)
        | StatementKind::Switch(..)
        | StatementKind::Case(_)
        | StatementKind::Default
        | StatementKind::Break
        | StatementKind::Continue
        | StatementKind::Atomic(_) => true,
        _ => false,
    };
    let is_alone = l.collapsed == 0 && l.tile.is_none() && l.schedule.shares.is_empty();
    is_alone && !visit::any(&l.body, &mut |s| !is_code(s))
}

/// The place of an access as effects have it.
fn place(element: &Element, oracle: &Oracle) -> Place {
    match element.expression.kind {
        ExpressionKind::Call { .. } => element.root,
        _ => oracle.place(element.expression),
    }
}

/// The array, or the pointer to it, that all accesses to a place are to: the place itself, or what it
/// is a row of.
fn root(list: &[&Element], place: Place, scope: &Scope) -> Option<Place> {
    let root = list.first()?.root;
    let is_known = root == place || root == scope.whole(place);
    let is_one = list.iter().all(|element| element.root == root);
    (is_known && is_one && root != Place::Unknown).then_some(root)
}

/// Variables of which the loop, or one inside, has copies of its own.
fn own_copies(l: &Loop) -> Vec<SymbolId> {
    let mut own = Vec::new();
    let mut add = |l: &Loop| {
        own.push(l.induction);
        own.extend(&l.privates);
        own.extend(l.reductions.iter().map(|r| r.symbol));
    };
    add(l);
    visit::loops(&l.body, &mut add);
    own
}

/// What the loop does to an array, unless that is too much, or some of it is not known.
fn ownership(
    l: &Loop,
    root: Place,
    list: &[&Element],
    last: &[Option<Polynomial>],
) -> Option<Ownership> {
    let mut elements: Vec<Vec<Subscript>> = Vec::new();
    for element in list {
        if !elements.contains(&element.subscripts) {
            elements.push(element.subscripts.clone());
        }
        let is_sized = element.subscripts.iter().all(|step| step.unit.is_some());
        if element.subscripts.is_empty() || !is_sized || elements.len() > MOST_ACCESSES {
            return None;
        }
    }
    let mut symbols = Vec::new();
    if let Place::Target(pointer) = root {
        symbols.push(pointer);
    }
    let steps = elements.iter().flatten();
    let parts = steps.flat_map(|step| [&step.value, &step.unit, &step.extent]);
    for part in parts.chain(last).flatten() {
        add_symbols(part, &mut symbols)?;
    }
    symbols.sort_unstable();
    symbols.dedup();
    Some(Ownership {
        distribution: l.distribution?,
        root,
        elements,
        last: last.to_vec(),
        symbols,
    })
}

/// Adds the variables of a polynomial; `None` if it has values that are no variables.
fn add_symbols(e: &Polynomial, symbols: &mut Vec<SymbolId>) -> Option<()> {
    for term in e.terms().flat_map(|(product, _)| product) {
        match term {
            Term::Invariant(symbol) => symbols.push(*symbol),
            Term::Iteration(_) => {}
            Term::Opaque(_) => return None,
        }
    }
    Some(())
}
