//! Proves that the iterations of a loop are independent, or says why not.

use std::collections::HashMap;

use indexmap::IndexSet;

use crate::analysis::bounds::Assumed;
use crate::analysis::dependence::{self, Answer, Nest};
use crate::analysis::effects::{Effects, Oracle, Place, Touch};
use crate::analysis::exits::Exits;
use crate::analysis::flow;
use crate::analysis::launch_value;
use crate::analysis::polynomial::writer::Writer;
use crate::analysis::polynomial::{Polynomial, Term};
use crate::analysis::recognition::Updates;
use crate::analysis::scope::Scope;
use crate::analysis::subscripts::{self, Element, Subscript};
use crate::ir::{
    Assumptions, Kernel, Loop, Parallelism, Reduction, ReductionOperator, Statement, StatementKind,
    visit,
};
use crate::passes::privatise;
use crate::passes::thread_mapping::only_loop;
use crate::source::Span;
use crate::typed::print::spelled;
use crate::typed::{Expression, ExpressionKind, SymbolId, Unit};

/// What was found out about a loop.
pub struct Proof {
    /// Parallel or not, and why.
    pub parallelism: Parallelism,
    /// Recognised reductions, where it is parallel.
    pub reductions: Vec<Reduction>,
    /// What the answer takes for granted, and launches do not look at yet.
    pub assumed: Assumptions,
}

/// What helps where nothing is known for certain.
const INDEPENDENT: &str =
    "mark it `independent` if no iteration uses an element that another one writes";

/// The same of what updates an element.
const ATOMIC: &str = "make the update `atomic`, or mark the loop `independent` if no iteration uses an \
                      element that another one writes";

/// More pairs of accesses are not compared.
const MOST_PAIRS: usize = 200_000;

/// What pairs of accesses took for granted.
#[derive(Default)]
struct Granted {
    /// Arrays that do not overlap.
    disjoint: Vec<(SymbolId, SymbolId)>,
    /// What is at least 0.
    values: Vec<Polynomial>,
}

impl Granted {
    fn disjoint(&mut self, a: SymbolId, b: SymbolId) {
        if !self.disjoint.contains(&(a, b)) && !self.disjoint.contains(&(b, a)) {
            self.disjoint.push((a, b));
        }
    }

    /// Takes more values, and leaves out those that are more than others, or than the sum of two.
    fn take(&mut self, values: Vec<Polynomial>) {
        for value in values {
            if !self.values.contains(&value) {
                self.values.push(value);
            }
        }
        let mut at = 0;
        while at < self.values.len() {
            let value = self.values.remove(at);
            if !self.implies(&value) {
                self.values.insert(at, value);
                at += 1;
            }
        }
    }

    /// Whether a value is at least 0 since the others are.
    fn implies(&self, value: &Polynomial) -> bool {
        let rest = |by: &Polynomial| value.minus(by);
        let is_more = |rest: &Polynomial| rest.as_constant().is_some_and(|more| more >= 0);
        let others = || self.values.iter();
        others().filter_map(rest).any(|rest| {
            is_more(&rest) || others().any(|one| rest.minus(one).is_some_and(|rest| is_more(&rest)))
        })
    }
}

/// Examines loops of one kernel.
pub struct Prover<'a, 'u> {
    pub kernel: &'a Kernel,
    pub oracle: &'a Oracle<'u>,
    pub scope: &'a Scope,
    /// Takes pointers of different names to be disjoint, and rows to be as long as what they hold, since
    /// the launch looks.
    pub may_assume: bool,
}

impl Prover<'_, '_> {
    /// Examines one loop.
    pub fn examine(&self, l: &Loop) -> Proof {
        let mut reductions = l.reductions.clone();
        let mut assumed = Assumptions::default();
        let result = self
            .control(l)
            .and_then(|()| self.pointed_at(l))
            .and_then(|()| self.scalars(l, &mut reductions))
            .and_then(|()| self.elements(l, &mut assumed));
        match result {
            Ok(()) => {
                let reason = self.success(&reductions, &assumed);
                Proof {
                    parallelism: Parallelism::parallel(reason),
                    reductions,
                    assumed: assumed.without(&self.kernel.assumed),
                }
            }
            Err(parallelism) => Proof {
                parallelism,
                reductions: l.reductions.clone(),
                assumed: Assumptions::default(),
            },
        }
    }

    fn name(&self, symbol: SymbolId) -> String {
        format!("`{}`", self.oracle.unit().symbol(symbol).name)
    }

    pub fn text(&self, e: &Expression) -> String {
        format!("`{}`", spelled(self.oracle.unit(), e))
    }

    fn success(&self, reductions: &[Reduction], assumed: &Assumptions) -> String {
        let mut reason = "its iterations are independent".to_string();
        for reduction in reductions {
            reason.push_str(&format!(
                ", {} is a reduction ({})",
                self.name(reduction.symbol),
                reduction.operator.spelling()
            ));
        }
        for (a, b) in &assumed.disjoint {
            reason.push_str(&format!(
                ", unless {} and {} overlap",
                self.name(*a),
                self.name(*b)
            ));
        }
        let conditions = assumed.conditions.iter();
        let conditions: Vec<String> = conditions.map(|one| self.text(one)).collect();
        if !conditions.is_empty() {
            reason.push_str(&format!(", if {}", conditions.join(" and ")));
        }
        reason
    }

    /// Jumps out of the loop, and effects whose order matters.
    fn control(&self, l: &Loop) -> Result<(), Parallelism> {
        if let Some((what, span)) = jump_out(&l.body) {
            return Err(
                Parallelism::sequential(format!("`{what}` may end it early")).at(Some(span)),
            );
        }
        let effects = self.oracle.list(&l.body);
        if effects.impure {
            return Err(self.impure_call(l));
        }
        let of_header = |e: &Expression| self.oracle.expression(e).volatile;
        if effects.volatile || l.limits().into_iter().any(of_header) {
            return Err(Parallelism::sequential("it reads a volatile object"));
        }
        if body_effects_write(&effects, l.induction) {
            let variable = self.name(l.induction);
            let reason = format!("its variable {variable} changes in its body");
            return Err(Parallelism::sequential(reason));
        }
        Ok(())
    }

    fn impure_call(&self, l: &Loop) -> Parallelism {
        let mut found = None;
        visit::expressions(&l.body, &mut |e| {
            if let ExpressionKind::Call { function, .. } = &e.kind
                && found.is_none()
                && self.oracle.expression(e).impure
            {
                found = Some((function.as_symbol(), e.span));
            }
        });
        let (function, span) = found.unwrap_or((None, l.header));
        let name = function.map_or("a function".into(), |symbol| self.name(symbol));
        let reason = format!("it calls {name}, whose effects are not known");
        Parallelism::sequential(reason)
            .at(Some(span))
            .remedy("mark it `independent` if the calls may come in any order")
    }

    /// Scalars that the loop may write through pointers: their values are not
    /// followed there.
    fn pointed_at(&self, l: &Loop) -> Result<(), Parallelism> {
        let unit = self.oracle.unit();
        let effects = self.oracle.list(&l.body);
        for &place in effects.reads.iter().chain(&effects.writes) {
            let Place::Variable(symbol) = place else {
                continue;
            };
            let mut writes = effects.writes.iter().filter(|w| **w != place);
            let is_reached = !unit.is_array(symbol)
                && writes.any(|write| {
                    !matches!(write, Place::Variable(_)) && self.scope.may_alias(place, *write)
                })
                && flow::is_address_taken_anywhere(unit, symbol);
            if is_reached {
                let name = self.name(symbol);
                let reason = format!("it may write {name} through a pointer");
                return Err(Parallelism::sequential(reason).at(first_read(&l.body, symbol)));
            }
        }
        Ok(())
    }

    /// Scalars that the loop writes must be private to an iteration, or
    /// reductions.
    fn scalars(&self, l: &Loop, reductions: &mut Vec<Reduction>) -> Result<(), Parallelism> {
        let unit = self.oracle.unit();
        let private = privatise::private_scalars(l, self.oracle);
        // A function that the loop calls sees the variable itself.
        let called = self.oracle.touched_by_calls(&l.body);
        let updates = Updates::of(&l.body);
        for symbol in privatise::written_scalars(l, self.oracle) {
            if reductions.iter().any(|r| r.symbol == symbol) {
                continue;
            }
            if private.contains(&symbol) {
                self.value_after(l, symbol)?;
            } else if !called.contains(&symbol)
                && only_updated_atomically(&l.body, symbol, self.oracle.unit())
            {
                continue;
            } else if !called.contains(&symbol)
                && let Some(found) = updates.reduction(symbol, unit, self.kernel.function)
            {
                reductions.push(found);
            } else if let Some((operator, value)) = updates.but_for_nan(symbol, unit) {
                let obstacle = self.takes_nan(symbol, operator, value);
                return Err(obstacle.at(first_read(&l.body, symbol)));
            } else {
                let name = &unit.symbol(symbol).name;
                let reason = format!("`{name}` carries a value from one iteration to the next");
                let remedy = match found_with(&l.body, symbol) {
                    Some((extreme, others)) => {
                        let text = |symbol| format!("`{}`", unit.symbol(symbol).name);
                        let others: Vec<String> = others.into_iter().map(text).collect();
                        format!(
                            "find {} first, with a `reduction`, and {} in a loop of its own",
                            text(extreme),
                            others.join(" and ")
                        )
                    }
                    None => format!(
                        "add `private({name})` if each iteration sets it before it is read, a \
                         `reduction` if it collects a result"
                    ),
                };
                return Err(Parallelism::sequential(reason)
                    .at(first_read(&l.body, symbol))
                    .remedy(remedy));
            }
        }
        if !l.declared_inside && !l.schedule.directive {
            self.value_after(l, l.induction)?;
        }
        Ok(())
    }

    /// A maximum or minimum whose update takes a NaN.
    fn takes_nan(
        &self,
        symbol: SymbolId,
        operator: ReductionOperator,
        value: &Expression,
    ) -> Parallelism {
        let unit = self.oracle.unit();
        let name = &unit.symbol(symbol).name;
        let written = spelled(unit, value);
        let (short, is) = match value.as_symbol() {
            Some(_) => (written.as_str(), String::new()),
            None => match name.as_str() {
                "d" => ("e", format!(" (with `e` for `{written}`)")),
                _ => ("d", format!(" (with `d` for `{written}`)")),
            },
        };
        let operator = operator.spelling();
        let beyond = if operator == "max" { ">" } else { "<" };
        let reason = format!(
            "`{name}` takes any NaN as it is written, so that the order of the iterations matters"
        );
        Parallelism::sequential(reason).remedy(format!(
            "write `{name} = {short} {beyond} {name} ? {short} : {name}`, which takes none{is}, or \
             add `reduction({operator}:{name})`"
        ))
    }

    /// A private scalar's last value: not used, or stored by the last
    /// iteration of the kernel's outermost loop.
    fn value_after(&self, l: &Loop, symbol: SymbolId) -> Result<(), Parallelism> {
        let obstacle = || {
            let name = self.name(symbol);
            let reason = format!("the value of {name} after the loop may be used");
            Parallelism::sequential(reason).remedy(format!(
                "declare {name} in the loop if its last value is not needed"
            ))
        };
        let after =
            flow::after_loop(self.oracle.unit(), &self.kernel.body, l, symbol).unwrap_or_default();
        if after.may_read() {
            return Err(obstacle());
        }
        let unit = self.oracle.unit();
        if after.is_overwritten() || !privatise::escapes(self.kernel, symbol, unit) {
            return Ok(());
        }
        let is_root = only_loop(&self.kernel.body).is_some_and(|root| std::ptr::eq(root, l));
        let is_kept = privatise::may_keep_last(l, symbol, unit);
        if is_root && is_kept && symbol != l.induction {
            return Ok(());
        }
        Err(obstacle())
    }

    /// Arrays: no two iterations touch the same element, unless both read.
    fn elements(&self, l: &Loop, assumed: &mut Assumptions) -> Result<(), Parallelism> {
        let mut granted = Granted::default();
        let mut private: IndexSet<SymbolId> = visit::declared(&l.body).into_iter().collect();
        private.extend(&l.privates);
        let mut elements = subscripts::collect_certain(l, &private, self.oracle);
        // What is behind a private section is a copy of the iteration's own.
        let is_own =
            |symbol| l.privates.contains(&symbol) && self.kernel.private_array(symbol).is_some();
        elements
            .list
            .retain(|e| !matches!(e.root, Place::Target(symbol) if is_own(symbol)));
        if elements.wraps {
            let variable = self.name(l.induction);
            let reason = format!("its variable {variable} may go round the limits of its type");
            return Err(Parallelism::sequential(reason));
        }
        let nest = Nest {
            tested: 0,
            last: elements.last,
        };
        // One of several alike stands for all; where one has no condition, none matters.
        let mut known = HashMap::new();
        let key = |e: &Element| (e.root, e.touch, e.commutes, e.subscripts.clone());
        for e in &elements.list {
            *known.entry(key(e)).or_insert(false) |= e.under.is_empty();
        }
        elements.list.retain_mut(|e| match known.remove(&key(e)) {
            Some(is_certain) => {
                if is_certain {
                    e.under.clear();
                }
                true
            }
            None => false,
        });
        let writes = elements.list.iter().filter(|e| e.touch == Touch::Write);
        if writes.count().saturating_mul(elements.list.len()) > MOST_PAIRS {
            let reason = "it has too many accesses to memory to compare each with all others";
            return Err(Parallelism::sequential(reason).remedy(INDEPENDENT));
        }
        for (index, write) in elements.list.iter().enumerate() {
            if write.touch != Touch::Write {
                continue;
            }
            for (other_index, other) in elements.list.iter().enumerate() {
                // Two writes meet once.
                if other.touch == Touch::Write && other_index < index {
                    continue;
                }
                // Atomic updates that may come in any order.
                if write.commutes.is_some() && write.commutes == other.commutes {
                    continue;
                }
                self.pair(write, other, &nest, &mut granted)?;
            }
        }
        let conditions = granted.values.iter();
        *assumed = Assumptions {
            conditions: conditions
                .filter_map(|value| self.condition(value))
                .collect(),
            disjoint: granted.disjoint,
        };
        Ok(())
    }

    /// Compares two accesses to one array, also by what lengths of rows are defined as, and by what the
    /// launch can tell of them.
    fn compare(
        &self,
        write: &Element,
        other: &Element,
        nest: &Nest,
        granted: &mut Granted,
    ) -> Answer {
        let found = dependence::test(&write.subscripts, &other.subscripts, nest);
        if found == Answer::Independent {
            return found;
        }
        let (definitions, unit) = (self.oracle.definitions(), self.oracle.unit());
        let expanded = |e: &Element| -> Vec<Subscript> {
            let steps = e.subscripts.iter();
            steps.map(|step| step.expanded(definitions, unit)).collect()
        };
        let last = nest.last.iter().map(|last| {
            let last = last.as_ref()?;
            Some(
                definitions
                    .expanded(last, unit)
                    .unwrap_or_else(|| last.clone()),
            )
        });
        let by_definition = Nest {
            tested: nest.tested,
            last: last.collect(),
        };
        let (f, g) = (expanded(write), expanded(other));
        if dependence::test(&f, &g, &by_definition) == Answer::Independent {
            return Answer::Independent;
        }
        if !self.may_assume {
            return found;
        }
        let tells = |value: &Polynomial| self.condition(value).is_some();
        let pairs = [
            (&f, &g, &by_definition),
            (&write.subscripts, &other.subscripts, nest),
        ];
        for (f, g, nest) in pairs {
            let mut assumed = Assumed::of_launch(&tells);
            if dependence::test_assuming(f, g, nest, &mut assumed) == Answer::Independent {
                granted.take(assumed.into_values());
                return Answer::Independent;
            }
        }
        found
    }

    /// That a value is not negative, as the host computes it exactly from what it and the kernel have.
    fn condition(&self, value: &Polynomial) -> Option<Expression> {
        let unit = self.oracle.unit();
        let is_private = |symbol: &SymbolId| self.kernel.privates.contains(symbol);
        let is_known = |term: &Term| matches!(term, Term::Invariant(symbol) if !is_private(symbol));
        if !value
            .terms()
            .all(|(product, _)| product.iter().all(is_known))
        {
            return None;
        }
        let writer = Writer::new(unit, &[], self.kernel.span);
        let condition = writer.condition(std::slice::from_ref(value))?;
        launch_value::is_exact(&condition, self.kernel, unit).then_some(condition)
    }

    fn pair(
        &self,
        write: &Element,
        other: &Element,
        nest: &Nest,
        granted: &mut Granted,
    ) -> Result<(), Parallelism> {
        if write.root == other.root && write.root != Place::Unknown {
            return match self.compare(write, other, nest, granted) {
                Answer::Independent => Ok(()),
                Answer::Dependent(distance) => Err(self.dependence(write, other, distance)),
            };
        }
        let captured = self.captured(write.root).zip(self.captured(other.root));
        if let Some((a, b)) = captured
            && self.kernel.assumed.are_disjoint(a, b)
        {
            granted.disjoint(a, b);
            return Ok(());
        }
        if !self.scope.may_alias(write.root, other.root) {
            return Ok(());
        }
        let Some((a, b)) = captured else {
            let unknown = if self.captured(write.root).is_none() {
                write
            } else {
                other
            };
            let text = self.text(unknown.expression);
            let reason = format!("it is not known which memory {text} is");
            return Err(Parallelism::sequential(reason)
                .at(Some(unknown.expression.span))
                .remedy(INDEPENDENT));
        };
        if !self.may_assume {
            let reason = format!("{} and {} may overlap", self.name(a), self.name(b));
            return Err(Parallelism::sequential(reason)
                .at(Some(other.expression.span))
                .remedy("declare the pointers `restrict` if they never do"));
        }
        granted.disjoint(a, b);
        Ok(())
    }

    /// The captured array or pointer behind a place.
    fn captured(&self, place: Place) -> Option<SymbolId> {
        (place.symbol()).filter(|&symbol| self.kernel.capture(symbol).is_some())
    }

    /// Why two accesses keep iterations from being independent.
    pub fn dependence(
        &self,
        write: &Element,
        other: &Element,
        distance: Option<i128>,
    ) -> Parallelism {
        let (w, o) = (self.text(write.expression), self.text(other.expression));
        let apart = |n: i128| match n.abs() {
            1 => "the next iteration".to_string(),
            n => format!("the iteration {n} later"),
        };
        let reads = other.touch == Touch::Read;
        let span = Some(other.expression.span);
        let stays = |e: &Element| {
            let mut all = e.subscripts.iter();
            all.all(|s| (s.value.as_ref()).is_some_and(|s| !s.iterations().contains(&0)))
        };
        let unknown = [write, other]
            .into_iter()
            .find(|e| e.subscripts.iter().any(|s| s.value.is_none()));
        let is_chosen = !write.under.is_empty() || !other.under.is_empty();
        let carried = |d: i128| match reads {
            true if d > 0 => format!("{} reads as {o} what was written as {w}", apart(d)),
            true => format!("{} writes as {w} what was read as {o}", apart(d)),
            false => format!("{} writes as {o} what was written as {w}", apart(d)),
        };
        let reason = match (distance, unknown) {
            (Some(d), _) if is_chosen => {
                format!(
                    "it is not known whether {}: a condition decides",
                    carried(d)
                )
            }
            (Some(d), _) => carried(d),
            (None, None) if stays(write) && stays(other) && is_chosen => {
                let shared = if reads && w != o {
                    format!("{w} and {o}")
                } else {
                    w
                };
                format!("it is not known which iterations use {shared}: a condition decides")
            }
            (None, None) if stays(write) && stays(other) && !reads => {
                format!("every iteration writes {w}")
            }
            (None, None) if stays(write) && stays(other) => {
                format!("every iteration writes {w} and reads {o}")
            }
            (None, Some(unknown)) => format!(
                "it is not known which element {} is",
                self.text(unknown.expression)
            ),
            (None, None) if w == o => {
                format!("{w} may be the same element in different iterations")
            }
            (None, None) => {
                format!("{w} and {o} may be the same element in different iterations")
            }
        };
        let is_certain = !is_chosen && (distance.is_some() || stays(write) && stays(other));
        let obstacle = Parallelism::sequential(reason).at(span);
        // `h[k[i]] += 1`.
        let is_update = write.expression.span == other.expression.span && unknown.is_some();
        match is_certain {
            true => obstacle,
            false if is_update => obstacle.remedy(ATOMIC),
            false => obstacle.remedy(INDEPENDENT),
        }
    }
}

/// Of a variable that `if (x[i] > m) { m = x[i]; at = i; }` sets: the one that is compared, and the
/// others.
fn found_with(body: &[Statement], symbol: SymbolId) -> Option<(SymbolId, Vec<SymbolId>)> {
    let mut found = None;
    visit::walk(body, &mut |statement| {
        let StatementKind::If(condition, then, None) = &statement.kind else {
            return;
        };
        let mut set = Vec::new();
        visit::walk(then, &mut |inner| {
            if let StatementKind::Expression(Some(e)) = &inner.kind
                && let ExpressionKind::Assign(target, _) = &e.inner().kind
            {
                set.extend(target.as_symbol());
            }
        });
        let is_compared = |one: &SymbolId| condition.mentions(*one);
        let extreme = set.iter().copied().find(is_compared);
        if let Some(extreme) = extreme.filter(|_| set.len() > 1 && set.contains(&symbol)) {
            set.retain(|one| *one != extreme);
            found = Some((extreme, set));
        }
    });
    found
}

/// Whether a body does nothing with a variable but atomic updates that may
/// come in any order.
pub fn only_updated_atomically(body: &[Statement], symbol: SymbolId, unit: &Unit) -> bool {
    let is_symbol = |e: &Expression| matches!(e.kind, ExpressionKind::Symbol(s) if s == symbol);
    let mentions = |list: &[Expression]| {
        let mut count = 0;
        for e in list {
            crate::typed::visit::walk(e, &mut |e| count += usize::from(is_symbol(e)));
        }
        count
    };
    let (mut all, mut atomic) = (0, 0);
    let mut groups = IndexSet::new();
    visit::expressions(body, &mut |e| all += usize::from(is_symbol(e)));
    visit::walk(body, &mut |statement| {
        if let StatementKind::Atomic(update) = &statement.kind
            && let (Ok(access), group @ Some(_)) = (update.access(), update.commutes(&unit.types))
            && access.target.as_symbol() == Some(symbol)
        {
            atomic += mentions(&update.steps);
            groups.insert(group);
        }
    });
    all == atomic && groups.len() == 1
}

/// Whether a body writes the variable of its own loop.
fn body_effects_write(effects: &Effects, induction: SymbolId) -> bool {
    effects.writes.contains(&Place::Variable(induction))
}

/// The first jump that leaves a loop's body for good.
fn jump_out(body: &[Statement]) -> Option<(&'static str, Span)> {
    let exits = Exits::of(body);
    let (jump, span) = exits.iter().find(|(jump, _)| jump.ends_loop())?;
    Some((jump.keyword(), span))
}

fn first_read(body: &[Statement], symbol: SymbolId) -> Option<Span> {
    let mut found = None;
    visit::expressions(body, &mut |e| {
        if matches!(e.kind, ExpressionKind::Symbol(s) if s == symbol) {
            found = found.or(Some(e.span));
        }
    });
    found
}
