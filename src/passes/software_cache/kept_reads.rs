//! What a thread reads of a window before and behind a barrier, kept in a register.
//!
//! ```c
//! if (row < rows)                                      // before
//!     flow[row] = now[row + 1] - now[row];             // a channel: threads wait here
//! if (row < rows && row > 0)
//!     next[row] = now[row] + flow[row] - flow[row - 1];
//!
//! float now_value;                                     // after
//! if (row < rows) {
//!     now_value = now[row];
//!     flow[row] = now[row + 1] - now_value;
//! }
//! if (row < rows && row > 0)
//!     next[row] = now_value + flow[row] - flow[row - 1];
//! ```
//!
//! Nothing writes to a window that is fetched and no more; compilers cannot know that of shared
//! memory behind a barrier.

use indexmap::{IndexMap, IndexSet};

use super::Pass;
use super::access::{self, Write};
use super::region::{Held, element_type};
use crate::analysis::block_affine::Frame;
use crate::analysis::effects::Place;
use crate::ir::{Capture, Passing, Statement, StatementKind, WindowProof, visit};
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, Initializer, LocalDeclaration, SymbolId, TypeId,
    UnaryOperator, synthesis, visit as typed_visit,
};

/// The most values that are kept of one list of statements.
const MOST: usize = 8;
/// The most statements behind the first reads that are looked at.
const FARTHEST: usize = 8;
/// The greatest size of a value, in bytes.
const WIDEST: u64 = 8;

impl Pass<'_> {
    /// Keeps what a region's body reads of windows that are fetched and no more.
    pub(super) fn keep_reads(&mut self, body: &mut Vec<Statement>, held: &[Held], explicit: bool) {
        let windows = self.constant(held, body);
        if windows.is_empty() || self.frame.facts.has_labels {
            return;
        }
        let mut keeper = Keeper {
            windows,
            channels: (held.iter())
                .filter(|h| h.window.policy.channel && !explicit)
                .map(|h| h.window.array)
                .collect(),
            escapes: self.oracle.list(&self.kernel.body).escapes,
            pass: self,
        };
        if keeper.waits(body) {
            let frame = keeper.pass.frame.clone();
            keeper.list(body, frame);
        }
    }

    /// Whether values of a type are kept.
    pub(super) fn fits_register(&self, ty: TypeId) -> bool {
        let types = &self.unit.types;
        types.is_arithmetic(ty) && types.size(ty).is_some_and(|size| size <= WIDEST)
    }

    /// The arrays whose slots keep their values, in one window and read by name, and what these are.
    fn constant(&self, held: &[Held], body: &[Statement]) -> IndexMap<SymbolId, Slots> {
        let is_constant = |h: &&Held| {
            let policy = h.window.policy;
            let is_fetched = policy.fetch && !policy.channel && !policy.write_back;
            is_fetched && h.window.proof == WindowProof::Trusted
        };
        let is_one = |h: &&Held| {
            let is_other = |other: &&Held| other.window.array == h.window.array;
            held.iter().filter(is_other).count() == 1
        };
        let mut found: IndexMap<SymbolId, Slots> = (held.iter())
            .filter(|h| is_constant(h) && is_one(h))
            .map(|h| {
                let ty = element_type(self.unit, &h.window).ty;
                let dimensions = h.sides.len();
                (h.window.array, Slots { dimensions, ty })
            })
            .filter(|(_, slots)| self.fits_register(slots.ty))
            .collect();
        if found.is_empty() {
            return found;
        }
        let mut drop = |e: &Expression| found.retain(|array, _| !e.mentions(*array));
        visit::walk(body, &mut |s| {
            if let StatementKind::Atomic(_) = s.kind {
                visit::own_expressions(s, &mut drop);
            }
        });
        visit::expressions(body, &mut |e| {
            if let ExpressionKind::Statement(_) | ExpressionKind::SizeofVariable(_) = e.kind {
                drop(e);
            }
        });
        let mut drop = |place: &Expression| {
            if let Some((array, _)) = access::element(access::root(place), self.unit) {
                found.shift_remove(&array);
            }
        };
        visit::expressions(body, &mut |e| match &e.kind {
            ExpressionKind::Unary(UnaryOperator::AddressOf, place) => drop(place),
            _ => e.assigned().into_iter().for_each(&mut drop),
        });
        found
    }
}

/// What the slots of a window are.
struct Slots {
    dimensions: usize,
    ty: TypeId,
}

/// A value that a window has.
struct Read {
    /// What the array is called.
    name: String,
    element: Expression,
    ty: TypeId,
    /// The statement that reads it first.
    at: usize,
    /// What decides which slot it is.
    variables: IndexSet<SymbolId>,
}

/// Values by their texts, definitions put in.
type Reads = IndexMap<String, Read>;
/// A statement of a list, and what it reads again.
type Reader = (usize, IndexSet<String>);

/// What is evaluated in one place of a list: a statement, or what an `if` does.
struct Part<'s, 'u> {
    list: &'s [Statement],
    frame: Frame<'u>,
    /// The texts of the conditions, all of which hold.
    conditions: IndexSet<String>,
    /// The variables in these.
    variables: IndexSet<SymbolId>,
}

struct Keeper<'p, 'u> {
    pass: &'p mut Pass<'u>,
    /// The windows, by array.
    windows: IndexMap<SymbolId, Slots>,
    /// Arrays around whose writes all threads wait.
    channels: IndexSet<SymbolId>,
    /// Variables whose address is known.
    escapes: IndexSet<SymbolId>,
}

impl<'u> Keeper<'_, 'u> {
    fn list(&mut self, list: &mut Vec<Statement>, mut frame: Frame<'u>) {
        let mut index = 0;
        while index < list.len() {
            index += self.keep(list, index, &frame);
            let before = list[index].clone();
            let mut inside = frame.inside(&before).into_iter();
            visit::blocks_mut(&mut list[index], &mut |inner| {
                self.list(inner, inside.next().expect("each block has a frame"));
            });
            frame.pass(&before);
            index += 1;
        }
    }

    /// Keeps what a statement reads that later ones of its list read as well. Returns how many
    /// statements are new before it.
    fn keep(&mut self, list: &mut Vec<Statement>, index: usize, frame: &Frame<'u>) -> usize {
        let (reads, readers) = self.read_again(list, index, frame);
        let Some((last, _)) = readers.last() else {
            return 0;
        };
        let span = list[index].span;
        let is_plain = !matches!(list[index].kind, StatementKind::If(..));
        let mut symbols = IndexMap::new();
        let mut declarations = Vec::new();
        let mut loads = Vec::new();
        for (text, read) in reads {
            let symbol = self.pass.variable(&format!("{}_value", read.name), read.ty);
            declarations.push(LocalDeclaration {
                symbol,
                initializer: is_plain.then(|| Initializer::Expression(read.element.clone())),
                lengths: Vec::new(),
                span,
            });
            let target = synthesis::symbol(self.pass.unit, symbol, span);
            loads.push((read.at, Statement::assign(target, read.element, span)));
            symbols.insert(text, (symbol, read.at));
        }
        let mut frame = frame.clone();
        for number in index..=*last {
            let before = list[number].clone();
            let read = readers.iter().find(|(reader, _)| *reader == number);
            let known = |text: &str, at: usize| {
                let (symbol, first) = symbols.get(text)?;
                let is_known = match read {
                    Some((_, texts)) => texts.contains(text),
                    None => number == index && at >= *first,
                };
                is_known.then_some(*symbol)
            };
            match &mut list[number].kind {
                StatementKind::If(_, then, _) => {
                    let inside = frame.inside(&before).swap_remove(0);
                    self.replace(then, inside, &known);
                }
                _ => self.replace(&mut list[number..=number], frame.clone(), &known),
            }
            frame.pass(&before);
        }
        if let StatementKind::If(_, then, _) = &mut list[index].kind {
            loads.sort_by_key(|(at, _)| *at);
            for (at, load) in loads.into_iter().rev() {
                then.insert(at, load);
            }
        }
        list.insert(index, StatementKind::Declaration(declarations).at(span));
        1
    }

    /// The values that a statement reads for certain and others read again behind a barrier, with the
    /// statements that do.
    fn read_again(
        &self,
        list: &[Statement],
        index: usize,
        frame: &Frame<'u>,
    ) -> (Reads, Vec<Reader>) {
        let mut readers = Vec::new();
        let Some(first) = self.part(&list[index], frame) else {
            return (IndexMap::new(), readers);
        };
        let mut reads = self.certain_reads(&first);
        let mut again = IndexSet::new();
        let mut frame = frame.clone();
        let end = list.len().min(index + 1 + FARTHEST);
        for other in index + 1..if reads.is_empty() { 0 } else { end } {
            frame.pass(&list[other - 1]);
            let between = &list[index..=other];
            if visit::is_entered(between) {
                break;
            }
            let part = self.part(&list[other], &frame).filter(|part| {
                let holds = first.conditions.is_subset(&part.conditions);
                holds && self.waits(&list[index..other])
            });
            let Some(part) = part else { continue };
            let changed = self.changed(between);
            if !first.variables.is_disjoint(&changed) {
                break;
            }
            let mut texts = IndexSet::new();
            self.each_read(&part, &mut |text| {
                let is_kept = (reads.get(&text)).is_some_and(|r| r.variables.is_disjoint(&changed));
                if is_kept && (again.contains(&text) || again.len() < MOST) {
                    again.insert(text.clone());
                    texts.insert(text);
                }
            });
            if !texts.is_empty() {
                readers.push((other, texts));
            }
        }
        reads.retain(|text, _| again.contains(text));
        (reads, readers)
    }

    /// What a statement does under conditions that can be written down, if it has some.
    fn part<'s>(&self, statement: &'s Statement, frame: &Frame<'u>) -> Option<Part<'s, 'u>> {
        let mut part = Part {
            list: std::slice::from_ref(statement),
            frame: frame.clone(),
            conditions: IndexSet::new(),
            variables: IndexSet::new(),
        };
        if let StatementKind::If(condition, then, _) = &statement.kind {
            part.list = then;
            part.frame = frame.inside(statement).swap_remove(0);
            self.add_conditions(condition, frame, &mut part)?;
        }
        Some(part)
    }

    fn add_conditions(&self, e: &Expression, frame: &Frame<'u>, part: &mut Part) -> Option<()> {
        if let ExpressionKind::Binary(BinaryOperator::LogicalAnd, left, right) = &e.inner().kind {
            self.add_conditions(left, frame, part)?;
            return self.add_conditions(right, frame, part);
        }
        let text = self.text(e, frame, &mut part.variables)?;
        part.conditions.insert(text);
        Some(())
    }

    /// What its statements read whatever happens, up to the first that is more than an expression.
    fn certain_reads(&self, part: &Part<'_, 'u>) -> Reads {
        let mut found = IndexMap::new();
        let mut frame = part.frame.clone();
        for (at, statement) in part.list.iter().enumerate() {
            let (StatementKind::Expression(_) | StatementKind::Declaration(_)) = statement.kind
            else {
                break;
            };
            visit::own_expressions(statement, &mut |e| {
                each_certain(e, &mut |e| {
                    if let Some((text, read)) = self.read(e, at, &frame) {
                        found.entry(text).or_insert(read);
                    }
                });
            });
            frame.pass(statement);
        }
        found
    }

    /// Calls `visit` on the text of each value of a window that it may read.
    fn each_read(&self, part: &Part<'_, 'u>, visit: &mut dyn FnMut(String)) {
        let mut frame = part.frame.clone();
        for (at, statement) in part.list.iter().enumerate() {
            visit::expressions(std::slice::from_ref(statement), &mut |e| {
                if let Some((text, _)) = self.read(e, at, &frame) {
                    visit(text);
                }
            });
            frame.pass(statement);
        }
    }

    /// Puts variables in the place of what they keep.
    fn replace(
        &self,
        list: &mut [Statement],
        mut frame: Frame<'u>,
        known: &dyn Fn(&str, usize) -> Option<SymbolId>,
    ) {
        for (at, statement) in list.iter_mut().enumerate() {
            let before = statement.clone();
            visit::expressions_mut(std::slice::from_mut(statement), &mut |e| {
                let read = self.read(e, at, &frame);
                if let Some(symbol) = read.and_then(|(text, _)| known(&text, at)) {
                    *e = synthesis::symbol(self.pass.unit, symbol, e.span);
                }
            });
            frame.pass(&before);
        }
    }

    /// The value of a window that an expression is, if variables say which.
    fn read(&self, e: &Expression, at: usize, frame: &Frame<'u>) -> Option<(String, Read)> {
        let (array, indices) = match e.kind {
            ExpressionKind::Symbol(_) => return None,
            _ => access::element(e, self.pass.unit)?,
        };
        let slots = self.windows.get(&array)?;
        if indices.len() != slots.dimensions {
            return None;
        }
        let mut variables = IndexSet::new();
        let mut text = array.0.to_string();
        for index in &indices {
            let index = match index {
                Some(index) => self.text(index, frame, &mut variables)?,
                None => "0".to_string(),
            };
            text.push_str(&format!("[{index}]"));
        }
        let read = Read {
            name: self.pass.unit.symbol(array).name.clone(),
            element: e.clone(),
            ty: slots.ty,
            at,
            variables,
        };
        Some((text, read))
    }

    /// The text of a value with definitions put in, if variables of the thread alone decide it, which
    /// are added.
    fn text(
        &self,
        e: &Expression,
        frame: &Frame<'u>,
        variables: &mut IndexSet<SymbolId>,
    ) -> Option<String> {
        let e = frame.written_out(e)?;
        if !typed_visit::all(&e, &mut is_arithmetic) {
            return None;
        }
        let mut are_own = true;
        typed_visit::symbols(&e, &mut |symbol| {
            are_own &= self.is_own(symbol);
            variables.insert(symbol);
        });
        are_own.then(|| frame.text(&e))
    }

    /// Whether no other thread changes a variable, nor a pointer.
    fn is_own(&self, symbol: SymbolId) -> bool {
        let Pass { unit, kernel, .. } = &*self.pass;
        let is_value = |c: &Capture| c.passing == Passing::Value;
        let scope = &self.pass.frame.facts.scope;
        let is_private = scope.is_private(Place::Variable(symbol));
        let is_own = is_private || kernel.capture(symbol).is_some_and(is_value);
        let symbols = unit.symbol(symbol);
        let is_volatile = symbols.ty.qualifiers.is_volatile;
        symbols.is_thread_index() || is_own && !is_volatile && !self.escapes.contains(&symbol)
    }

    /// The variables that statements declare or change.
    fn changed(&self, list: &[Statement]) -> IndexSet<SymbolId> {
        let effects = self.pass.oracle.list(list);
        let written = effects.writes.iter().filter_map(|place| place.variable());
        written.chain(visit::own_variables(list)).collect()
    }

    /// Whether threads wait for each other in statements.
    fn waits(&self, list: &[Statement]) -> bool {
        visit::any(list, &mut |s| match &s.kind {
            StatementKind::Barrier(_) => true,
            StatementKind::Expression(Some(e)) => Write::of(e).is_some_and(|write| {
                let root = access::root(write.target());
                let element = access::element(root, self.pass.unit);
                element.is_some_and(|(array, _)| self.channels.contains(&array))
            }),
            _ => false,
        })
    }
}

/// Calls `visit` on the parts of an expression that are evaluated whatever their values are.
fn each_certain(e: &Expression, visit: &mut dyn FnMut(&Expression)) {
    visit(e);
    match &e.kind {
        ExpressionKind::Conditional(first, ..)
        | ExpressionKind::Binary(
            BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr,
            first,
            _,
        ) => each_certain(first, visit),
        ExpressionKind::Statement(_) | ExpressionKind::SizeofVariable(_) => {}
        _ => typed_visit::operands(e, &mut |operand| each_certain(operand, visit)),
    }
}

/// Whether an expression computes with the values of variables and numbers, its operands apart.
fn is_arithmetic(e: &Expression) -> bool {
    match &e.kind {
        ExpressionKind::Unary(operator, _) => {
            !operator.is_step()
                && !matches!(
                    operator,
                    UnaryOperator::Indirection | UnaryOperator::AddressOf
                )
        }
        ExpressionKind::Symbol(_)
        | ExpressionKind::Integer { .. }
        | ExpressionKind::Parenthesized(_)
        | ExpressionKind::Convert(..)
        | ExpressionKind::Cast(_)
        | ExpressionKind::Binary(..)
        | ExpressionKind::Conditional(..) => true,
        _ => false,
    }
}
