//! What the accesses of a kernel to an array need of it.

use indexmap::IndexMap;

use super::{LoopName, Plan, Side, name};
use crate::analysis::polynomial::{self, Polynomial, Term};
use crate::ir::{Kernel, Loop, Passing, Relation, Statement, StatementKind, is_literal, visit};
use crate::passes::software_cache::{Access, Uses};
use crate::passes::thread_mapping::nest;
use crate::typed::constant::evaluate;
use crate::typed::synthesis;
use crate::typed::{IntegerKind, SymbolId, Type, TypeId, Unit, visit as typed};

/// Finds out what the accesses of a kernel to its arrays ask for.
pub struct Needs<'k> {
    kernel: &'k Kernel,
    unit: &'k Unit,
    /// The nest, and the statements in it by the arrays that they name; else why there are no windows.
    around: Result<(Vec<&'k Loop>, Uses<'k>), &'static str>,
}

impl<'k> Needs<'k> {
    /// Looks at a kernel once, for all of its arrays.
    pub fn of(kernel: &'k Kernel, unit: &'k Unit) -> Self {
        Self {
            kernel,
            unit,
            around: around(kernel),
        }
    }

    /// What an array's accesses ask for; a plan for each place.
    ///
    /// # Errors
    /// Why there is none.
    pub fn plan(&self, array: SymbolId) -> Result<Vec<Plan>, String> {
        let unit = self.unit;
        let capture = self.kernel.capture(array);
        if capture.is_some_and(|c| c.passing == Passing::DevicePointer) {
            return Err("how much lies at an address of the device is not known".into());
        }
        let (nest, uses) = self.around.as_ref().map_err(|why| (*why).to_owned())?;
        let accesses = uses
            .accesses(array, depth(array, unit), unit)
            .ok_or("it is not only accessed by its elements")?;
        let mut places: IndexMap<Option<LoopName>, Vec<Access>> = IndexMap::new();
        for access in accesses {
            let tiled = tiled(&access, unit);
            tiled.map_or(Ok(()), |l| check_tiled(l, unit))?;
            let place = tiled.map(name);
            places.entry(place).or_default().push(access);
        }
        // Elsewhere it is read less often.
        if places.keys().any(Option::is_some) {
            places.retain(|place, _| place.is_some());
        }
        let known = Known {
            kernel: self.kernel,
            nest,
            unit,
        };
        let plans = places.into_iter().map(|(tiled, accesses)| {
            let reads = accesses
                .iter()
                .map(|access| times(access, tiled, unit))
                .fold(0, i128::saturating_add);
            let (dimensions, holds_all) = known.dimensions(&accesses, tiled)?;
            Ok(Plan {
                tiled,
                dimensions,
                holds_all,
                reads,
            })
        });
        let plans: Result<Vec<Plan>, String> = plans.collect();
        plans.and_then(|plans| match plans.is_empty() {
            true => Err("it is accessed in no loop within the nest".into()),
            false => Ok(plans),
        })
    }
}

/// What windows of a kernel are made in.
fn around(kernel: &Kernel) -> Result<(Vec<&Loop>, Uses<'_>), &'static str> {
    let has_windows = |s: &Statement| matches!(s.kind, StatementKind::Windows(_));
    if visit::any(&kernel.body, &mut |s| has_windows(s)) {
        return Err("a directive asks for windows in the same kernel");
    }
    let nest = nest(kernel).filter(|nest| !nest.is_empty());
    let nest = nest.ok_or("the loops around its accesses are no nest of parallel loops alone")?;
    let innermost = nest.last().ok_or("no loop is parallel")?;
    let uses = Uses::of(&innermost.body);
    Ok((nest, uses))
}

/// The outermost of the loops around an access inside the nest that has an
/// unknown length and whose variable is in a subscript.
fn tiled<'k>(access: &Access<'k>, unit: &Unit) -> Option<&'k Loop> {
    let is_in_subscript = |symbol| {
        let mut subscripts = access.indices.iter().flatten();
        subscripts.any(|e| e.mentions(symbol))
    };
    let mut around = access.loops.iter().copied();
    around.find(|l| trips(l, unit).is_none() && is_in_subscript(l.induction))
}

/// How often an access is made in an iteration of the tiled loop, or of the nest; loops of
/// unknown length count once.
fn times(access: &Access, tiled: Option<LoopName>, unit: &Unit) -> i128 {
    let around = access.loops.iter().rev();
    let inside = around.take_while(|l| Some(name(l)) != tiled);
    let trips = inside.map(|l| trips(l, unit).unwrap_or(1));
    trips.fold(1, i128::saturating_mul)
}

/// How often a loop that counts up by one runs, if that is a number.
fn trips(l: &Loop, unit: &Unit) -> Option<i128> {
    let known = l.constant_trip_count(unit);
    known.filter(|_| counts_up_by_one(l))
}

fn counts_up_by_one(l: &Loop) -> bool {
    !l.downward && is_literal(&l.step, 1)
}

/// Whether a loop within each thread can be taken a tile at a time.
fn check_tiled(l: &Loop, unit: &Unit) -> Result<(), String> {
    let variable = &unit.symbol(l.induction);
    let name = &variable.name;
    let is_signed = matches!(
        unit.types.get(variable.ty.ty),
        Type::Integer(IntegerKind::Int | IntegerKind::Long)
    );
    let starts = evaluate(unit, &l.lower).is_some_and(|n| n >= 0);
    if !counts_up_by_one(l) || l.relation != Relation::Less || !starts {
        return Err(format!(
            "the loop over `{name}` does not count up by one from a constant that is not negative"
        ));
    }
    if !is_signed || l.bound.ty.ty != variable.ty.ty {
        return Err(format!(
            "the loop over `{name}` does not compare an `int` or `long` with one"
        ));
    }
    // A reduction that analysis found is a sum in each thread's own order.
    let reduces = !l.reductions.is_empty() && l.schedule.directive;
    if !l.declared_inside || reduces || l.collapsed > 0 {
        return Err(format!(
            "the loop over `{name}` is not one of its own within each thread"
        ));
    }
    let leaves = visit::any(&l.body, &mut |s| {
        matches!(
            s.kind,
            StatementKind::Break
                | StatementKind::Goto(_)
                | StatementKind::Label(_)
                | StatementKind::Return(_)
        )
    });
    match leaves {
        true => Err(format!("the loop over `{name}` may be left early")),
        false => Ok(()),
    }
}

/// How many subscripts lead to an element.
fn depth(array: SymbolId, unit: &Unit) -> usize {
    let (mut ty, mut depth) = (unit.symbol(array).ty.ty, 0);
    loop {
        ty = match unit.types.get(ty) {
            Type::Pointer(to) if depth == 0 => to.ty,
            Type::Array { element, .. } => element.ty,
            _ => return depth,
        };
        depth += 1;
    }
}

/// The dimensions that hold what two accesses need, if these are at a fixed
/// distance.
fn united(
    held: &[(Polynomial, Side)],
    own: &[(Polynomial, Side)],
) -> Option<Vec<(Polynomial, Side)>> {
    let pairs = held.iter().zip(own);
    let both = pairs.map(|((base, held), (form, side))| {
        let far = form.minus(base)?.as_constant()?;
        let side = Side {
            before: held.before.max(side.before - far),
            after: held.after.max(side.after + far),
            ..held.clone()
        };
        Some((base.clone(), side))
    });
    both.collect()
}

/// What is known around the accesses of a kernel.
struct Known<'k> {
    kernel: &'k Kernel,
    nest: &'k [&'k Loop],
    unit: &'k Unit,
}

impl Known<'_> {
    /// The dimensions that hold the accesses of one place: of those that are
    /// not at fixed distances from each other, the most numerous. And whether
    /// these are all.
    fn dimensions(
        &self,
        accesses: &[Access],
        tiled: Option<LoopName>,
    ) -> Result<(Vec<Side>, bool), String> {
        let mut groups: Vec<(usize, Vec<(Polynomial, Side)>)> = Vec::new();
        for access in accesses {
            let dimensions = 0..access.indices.len();
            let own = dimensions.map(|dimension| self.side(access, dimension, tiled));
            let own = own.collect::<Result<Vec<_>, String>>()?;
            let mut others = groups.iter_mut();
            match others.find_map(|(count, held)| Some((count, united(held, &own)?, held))) {
                Some((count, both, held)) => {
                    *count += 1;
                    *held = both;
                }
                None => groups.push((1, own)),
            }
        }
        let holds_all = groups.len() == 1;
        let most = groups.into_iter().rev().max_by_key(|(count, _)| *count);
        let (_, sides) = most.ok_or("it has no accesses")?;
        Ok((sides.into_iter().map(|(_, side)| side).collect(), holds_all))
    }

    /// One dimension of one access, with the loops inside run through.
    fn side(
        &self,
        access: &Access,
        dimension: usize,
        tiled: Option<LoopName>,
    ) -> Result<(Polynomial, Side), String> {
        let unit = self.unit;
        let unknown = || "how it is indexed is not known".to_owned();
        let subscript = match access.indices.get(dimension) {
            Some(Some(e)) => e.clone(),
            Some(None) => synthesis::integer(0, self.int(), self.kernel.span),
            None => return Err(unknown()),
        };
        let form = polynomial::of_variables(&subscript, unit);
        let mut form = form.ok_or_else(unknown)?;
        let mut side = Side {
            subscript,
            before: 0,
            after: 0,
            stride: 0,
            at_first: Vec::new(),
        };
        // Loops around the tiled one stand still while the block has its window.
        let position = access.loops.iter().position(|l| Some(name(l)) == tiled);
        for l in &access.loops[position.unwrap_or_default()..] {
            let term = Term::Invariant(l.induction);
            let stride = form.coefficient(term).ok_or_else(unknown)?;
            if Some(name(l)) == tiled {
                side.stride = stride;
            } else if stride != 0 {
                let value = |e| evaluate(unit, e);
                let (lower, trips) = value(&l.lower)
                    .zip(trips(l, unit))
                    .ok_or("an inner loop of unknown length goes along it")?;
                let far = stride.checked_mul((trips - 1).max(0)).ok_or_else(unknown)?;
                side.before -= far.min(0);
                side.after += far.max(0);
                side.at_first.push((l.induction, l.lower.clone()));
                form = form
                    .substitute(term, &Polynomial::constant(lower))
                    .ok_or_else(unknown)?;
            }
        }
        self.check_variables(&side, access)?;
        Ok((form, side))
    }

    /// A pivot may use what is known where the region begins.
    fn check_variables(&self, side: &Side, access: &Access) -> Result<(), String> {
        let mut wrong = None;
        typed::symbols(&side.subscript, &mut |symbol| {
            let of_nest = self.nest.iter().any(|l| l.induction == symbol);
            let of_loop = access.loops.iter().any(|l| l.induction == symbol);
            let is_constant = !self.unit.symbol(symbol).is_variable();
            let capture = self.kernel.capture(symbol);
            let given = capture.is_some_and(|c| c.passing == Passing::Value && !c.written);
            if !(of_nest || of_loop || given || is_constant) {
                wrong = Some(symbol);
            }
        });
        match wrong {
            Some(symbol) => Err(format!(
                "its index uses `{}`, which is not known before its accesses",
                self.unit.symbol(symbol).name
            )),
            None => Ok(()),
        }
    }

    fn int(&self) -> TypeId {
        synthesis::int(self.unit)
    }
}
