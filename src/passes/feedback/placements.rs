//! Directives that place data and copy it, moved out of a loop of the host.
//!
//! Input: a copy that a directive of its own makes in a loop, of data that the program allocates and frees
//! by itself. Output: where the directives could stand instead, if the program would compute the same
//! ([`MovedOut`]), else what is in the way, if that is known. Data that is allocated in the loop could be
//! so before it, and come back and be freed behind it; what is allocated before the loop could come back
//! behind it. The host may not use it in the loop, the section is the same in all iterations, and what
//! kernels write has to come back in each of them, so that the next one begins with what is there.
//!
//! ```c
//! for (int t = 0; t < steps; t++) {
//!     alloc a[*] copyin                  // before the loop
//!     …                                  // kernels
//!     copyout a[*]                       // behind it
//!     free a                             // and this
//! }
//! ```

use super::calls::Scope;
use super::hoisting::{Hoisting, Obstacle, breaks, contains, names};
use super::movement::Direction;
use super::sections::Total;
use crate::analysis::exits::Exits;
use crate::ir::{DataAction, DataItem, Region, RegionKind};
use crate::typed::{Statement, StatementKind, SymbolId, visit};

/// A copy in a loop.
pub(super) struct Asked<'m> {
    pub(super) item: &'m DataItem,
    pub(super) around: &'m Statement,
    /// Each iteration makes it.
    pub(super) is_certain: bool,
    /// The loop is known to have iterations.
    pub(super) runs: bool,
}

/// Where directives could stand.
pub(super) struct MovedOut<'m> {
    /// Directives before the loop.
    before: Vec<String>,
    /// Those behind it.
    behind: Vec<String>,
    /// What comes back has no value where the loop has no iteration.
    needs_run: bool,
    /// The copy that is to tell of it.
    pub(super) first: &'m DataItem,
    /// The bytes of all copies.
    pub(super) total: Total,
}

impl MovedOut<'_> {
    /// What to write, as a sentence; `name` is that of the loop.
    pub(super) fn remedy(&self, name: &str) -> String {
        let list = |all: &[String]| {
            let quoted: Vec<String> = all.iter().map(|one| format!("`{one}`")).collect();
            quoted.join(" and ")
        };
        let behind = list(&self.behind);
        let all = match self.before.is_empty() {
            true => format!("{behind} behind the loop{name}"),
            false => {
                let before = list(&self.before);
                format!("{before} before the loop{name}, and {behind} behind it,")
            }
        };
        format!("{all} would copy it once{}", proviso(self.needs_run))
    }
}

/// What a remedy takes for granted.
pub(super) fn proviso(needs_run: bool) -> &'static str {
    match needs_run {
        true => ", if the loop runs at all",
        false => "",
    }
}

/// An action of a directive in a loop.
type Step<'m> = (&'m Region, &'m DataItem);

/// What the directives of a loop do with one variable.
#[derive(Default)]
struct Steps<'m> {
    made: Vec<Step<'m>>,
    filled: Vec<Step<'m>>,
    fetched: Vec<Step<'m>>,
    freed: Vec<Step<'m>>,
}

impl<'m> Hoisting<'m> {
    /// Where directives of a loop could stand that copy a variable.
    ///
    /// # Errors
    /// What is in the way; none where nothing is known of that.
    pub(super) fn moved_out(&self, asked: &Asked<'m>) -> Result<MovedOut<'m>, Option<Obstacle>> {
        let symbol = asked.item.symbol.ok_or(None)?;
        if let Some((jump, span)) = Exits::of_typed(asked.around).out().next() {
            let why = format!("`{}` leaves the loop", jump.keyword());
            return Err(Some(Obstacle::new(why, Some(span))));
        }
        let scopes = self.scopes(asked.around, symbol)?;
        let steps = self.steps(&scopes).ok_or(None)?;
        for scope in &scopes {
            if let Some(obstacle) = self.host_use(scope, symbol, None) {
                return Err(Some(obstacle));
            }
        }
        let all = [&steps.made, &steps.filled, &steps.fetched];
        for (_, item) in all.into_iter().flatten() {
            self.is_same_in_all(item, &scopes, None)?;
        }
        let mut total = Total::default();
        for (_, item) in steps.filled.iter().chain(&steps.fetched) {
            total.add(item, self.unit);
        }
        let found = match (steps.made.as_slice(), steps.freed.as_slice()) {
            ([], []) => self.fetched_behind(asked, &steps, &scopes)?,
            ([made], [freed]) => self.around_loop(asked, [*made, *freed], &steps, &scopes)?,
            _ => return Err(None),
        };
        Ok(MovedOut { total, ..found })
    }

    /// What directives of a loop do with its variable; none if others than those that place data have to do
    /// with it, or functions that the loop calls place it.
    fn steps(&self, scopes: &[Scope<'m>]) -> Option<Steps<'m>> {
        let mut steps = Steps::default();
        for (number, scope) in scopes.iter().enumerate() {
            for region in self.regions(scope) {
                let own = region.data.iter().filter(|item| names(item, scope.symbol));
                for item in own {
                    let list = match (&region.kind, item.action) {
                        (RegionKind::Compute { .. }, action) => match Direction::of(action) {
                            Some(_) => return None,
                            None => continue,
                        },
                        _ if number > 0 => return None,
                        (RegionKind::Placement, DataAction::Create) => &mut steps.made,
                        (RegionKind::Placement, DataAction::CopyIn) => &mut steps.filled,
                        (RegionKind::Placement, DataAction::CopyOut) => &mut steps.fetched,
                        (RegionKind::Placement, DataAction::Delete) => &mut steps.freed,
                        _ => return None,
                    };
                    list.push((region, item));
                }
            }
        }
        Some(steps)
    }

    /// Where kernels that a loop runs write a variable, as places in the loop.
    fn written<'s>(&'s self, scopes: &'s [Scope<'m>]) -> impl Iterator<Item = u32> + use<'s, 'm> {
        scopes.iter().flat_map(move |scope| {
            let writes = move |region: &&Region| self.has_written(region, scope.symbol);
            let writers = self.regions(scope).filter(writes);
            writers.map(move |region| scope.seen_outside(region.directive.start))
        })
    }

    /// The copy back of what is allocated before the loop.
    fn fetched_behind(
        &self,
        asked: &Asked<'m>,
        steps: &Steps<'m>,
        scopes: &[Scope<'m>],
    ) -> Result<MovedOut<'m>, Option<Obstacle>> {
        let ([(region, item)], []) = (steps.fetched.as_slice(), steps.filled.as_slice()) else {
            return Err(None);
        };
        let place = region.directive;
        let obstacle = |why| Err(Some(Obstacle::new(why, Some(place))));
        if !asked.is_certain || breaks(asked.around) {
            return obstacle("not each iteration copies it");
        }
        if self.written(scopes).any(|at| at > place.start) {
            return obstacle("kernels behind the copy write it");
        }
        Ok(MovedOut {
            before: Vec::new(),
            behind: vec![text(region, item)],
            needs_run: !asked.runs && !self.is_filled(region, item),
            first: item,
            total: Total::default(),
        })
    }

    /// All of the time that the variable is on the device in an iteration.
    fn around_loop(
        &self,
        asked: &Asked<'m>,
        [(alloc, made), (end, freed)]: [Step<'m>; 2],
        steps: &Steps<'m>,
        scopes: &[Scope<'m>],
    ) -> Result<MovedOut<'m>, Option<Obstacle>> {
        let filled = match steps.filled.as_slice() {
            [] => None,
            [(region, item)] if std::ptr::eq(*region, alloc) => Some(*item),
            _ => return Err(None),
        };
        let is_written = self.written(scopes).next().is_some();
        let fetched = match steps.fetched.as_slice() {
            [] if is_written && filled.is_some() => {
                let why = "what the loop's kernels write to it does not come back";
                return Err(Some(Obstacle::new(why, None)));
            }
            [] => None,
            [one] => Some(*one),
            _ => return Err(None),
        };
        // The next iteration begins with what this one has written.
        let goes_on = fetched.is_none_or(|(copy, item)| {
            let at = copy.directive.start;
            let is_last = !self.written(scopes).any(|writer| writer > at);
            let is_all = match filled {
                Some(filled) => filled.text == item.text,
                None => asked.is_certain && !breaks(asked.around),
            };
            is_last && is_all && in_one_block(asked.around, alloc, copy)
        });
        if is_written && (!goes_on || made.modifiers.zero) {
            return Err(None);
        }
        let behind = fetched.map(|(region, item)| text(region, item));
        let copies = filled.into_iter().chain(fetched.map(|(_, item)| item));
        Ok(MovedOut {
            before: vec![
                text(alloc, made) + &filled.map_or(String::new(), |one| filling(alloc, made, one)),
            ],
            behind: behind.into_iter().chain([text(end, freed)]).collect(),
            needs_run: !asked.runs && filled.is_none(),
            first: copies.min_by_key(|item| item.span.start).ok_or(None)?,
            total: Total::default(),
        })
    }

    /// Whether all that a directive brings back has had values of the host since it was allocated.
    fn is_filled(&self, copy: &Region, fetched: &DataItem) -> bool {
        let mut allocs = self.module.regions.iter().filter(|region| {
            matches!(region.kind, RegionKind::Placement)
                && region.function == copy.function
                && (region.data.iter())
                    .any(|item| item.symbol == fetched.symbol && item.action == DataAction::Create)
        });
        allocs.all(|region| {
            let of = |action| {
                let mut own = region.data.iter();
                own.find(|item| item.symbol == fetched.symbol && item.action == action)
            };
            let made = of(DataAction::Create).map(|item| item.text.as_str());
            of(DataAction::CopyIn).is_some_and(|filled| {
                made == Some(filled.text.as_str()) || filled.text == fetched.text
            })
        })
    }

    fn has_written(&self, region: &'m Region, symbol: Option<SymbolId>) -> bool {
        symbol.is_some_and(|symbol| self.writes(region, symbol))
    }
}

/// A directive with one section.
fn text(region: &Region, item: &DataItem) -> String {
    format!("{} {}", region.title, item.text)
}

/// What a directive that allocates has behind its section to fill it, if its own name does not say so.
fn filling(alloc: &Region, made: &DataItem, filled: &DataItem) -> String {
    match (alloc.title.ends_with(FILLS), made.text == filled.text) {
        (true, _) => String::new(),
        (false, true) => format!(" {FILLS}"),
        (false, false) => format!(" {FILLS} {}", filled.text),
    }
}

/// What directives call it.
const FILLS: &str = "copyin";

/// Whether the directives of two regions are statements of one block in a loop, so that the second one is
/// reached where the first one is.
fn in_one_block(around: &Statement, first: &Region, second: &Region) -> bool {
    let mut found = false;
    visit::statements(around, &mut |statement| {
        if let StatementKind::Compound(list) = &statement.kind {
            let has = |region: &Region| {
                let at = region.directive.start;
                let mut own = list.iter();
                own.any(|s| {
                    matches!(s.kind, StatementKind::Directive(..))
                        && contains(s.span, at)
                        && s.span.start == at
                })
            };
            found |= has(first) && has(second);
        }
    });
    found
}
