//! Reads directives into a typed form, by the [`table`](super::table).
//!
//! Input: the directives of a unit, as parsed, names resolved. Output: for each of
//! hiCUDA's a [`Checked`] one, stored by its id ([`Directives`]); what is wrong with its
//! words and operands is reported here.

use super::checked::{Allocation, Bounds, Checked, Kernel, Partition, Variable};
use super::problems::{
    form, malformed, section_problem, undeclared, unexpected, unknown, unknown_clause, unnamed,
};
use super::table::{self, ClauseRow, DirectiveKind, DirectiveRow, Form, Memory};
use crate::analysis::directives;
use crate::ast::{Argument, ArgumentValue, Arguments, Clause, Dialect as Tongue, Directive};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::directives::{Dialect, Reach, Role};
use crate::front::lowering::reductions;
use crate::ir::{Order, Reduction};
use crate::source::Span;
use crate::typed::print::{C, Printer};
use crate::typed::{
    Expression, ExpressionKind, Item, Statement, StatementKind, SymbolId, Unit, visit,
};

/// The directives of a unit by their ids.
#[derive(Debug, Default)]
pub struct Directives(Vec<Option<Checked>>);

impl Directives {
    /// Checks all directives of a unit.
    pub fn of(unit: &Unit, diagnostics: &mut Diagnostics) -> Self {
        let mut all = Self::default();
        let mut check = |written: &Directive<Expression>| {
            if written.dialect != Tongue::HiCuda || has_error(written) {
                return;
            }
            let position = written.id.0 as usize;
            if all.0.len() <= position {
                all.0.resize_with(position + 1, || None);
            }
            let reader = Reader { unit };
            all.0[position] = match reader.directive(written) {
                Ok(checked) => Some(checked),
                Err(problem) => {
                    diagnostics.push(*problem);
                    None
                }
            };
        };
        for item in &unit.items {
            if let Item::Directive(written) = item {
                check(written);
            }
        }
        for function in &unit.functions {
            visit::directives(&function.body, &mut check);
        }
        all
    }

    /// A directive as checked.
    pub fn get(&self, written: &Directive<Expression>) -> Option<&Checked> {
        self.0.get(written.id.0 as usize)?.as_ref()
    }

    /// Whether some function puts a variable into device memory.
    pub fn place(&self, symbol: SymbolId) -> bool {
        self.0.iter().flatten().any(|checked| match checked {
            Checked::Alloc(memory, list) if *memory != Memory::Shared => {
                list.iter().any(|one| one.variable.symbol == symbol)
            }
            _ => false,
        })
    }

    /// The directive that a statement is or stands under.
    pub fn of_statement(&self, statement: &Statement) -> Option<&Checked> {
        match &statement.kind {
            StatementKind::Directive(written, _) => self.get(written),
            _ => None,
        }
    }
}

impl Dialect for Directives {
    fn role(&self, directive: &Directive<Expression>) -> Role {
        let checked = self.get(directive);
        let opens = matches!(checked, Some(Checked::Alloc(Memory::Shared, _)));
        Role {
            is_construct: matches!(checked, Some(Checked::Kernel(_))),
            is_loop: matches!(checked, Some(Checked::Partition(_))),
            windows: opens.then_some(Reach::RestOfBlock),
            is_of_caller: checked.is_some_and(Checked::is_in_kernels),
            ..Role::default()
        }
    }

    fn inlines(&self, body: &Statement) -> bool {
        visit::any_statement(body, &mut |s| self.role_of(s).is_construct)
    }

    fn privates(&self, _: &Directive<Expression>) -> Vec<SymbolId> {
        Vec::new()
    }

    fn windows(&self, _: &Unit, directive: &Directive<Expression>) -> Vec<SymbolId> {
        match self.get(directive) {
            Some(Checked::Alloc(Memory::Shared, list)) => {
                list.iter().map(|one| one.variable.symbol).collect()
            }
            _ => Vec::new(),
        }
    }
}

type Read<T> = Result<T, Box<Diagnostic>>;

struct Reader<'u> {
    unit: &'u Unit,
}

impl Reader<'_> {
    fn directive(&self, written: &Directive<Expression>) -> Read<Checked> {
        let Some(word) = written.name.first() else {
            let message = "a directive's name is missing";
            return Err(malformed(message, written.span, None));
        };
        let row = table::directive(&word.value)
            .ok_or_else(|| unknown(self.unit, word, written.arguments.as_ref()))?;
        match (row.operands, &written.arguments) {
            (None, Some(operands)) => return Err(unexpected(row, operands)),
            (Some(_), None) => return Err(unnamed(row, word.span)),
            _ => {}
        }
        let clauses = self.clauses(row, written)?;
        Ok(match row.kind {
            DirectiveKind::Kernel => Checked::Kernel(self.kernel(row, written, &clauses)?),
            DirectiveKind::LoopPartition => {
                Checked::Partition(self.partition(row, word.span, &clauses)?)
            }
            DirectiveKind::Singular => Checked::Singular,
            DirectiveKind::Barrier => Checked::Barrier,
            DirectiveKind::KernelEnd => Checked::End,
            DirectiveKind::SingularEnd => Checked::SingularEnd,
            DirectiveKind::Shape => Checked::Shape(self.variables(written.arguments.as_ref())?),
            DirectiveKind::Data(memory) => self.data(memory, row, word.span, &clauses)?,
        })
    }

    /// The clauses, each allowed, once and of its form.
    fn clauses<'w>(
        &self,
        row: &'static DirectiveRow,
        written: &'w Directive<Expression>,
    ) -> Read<Vec<Found<'w>>> {
        let mut found: Vec<Found<'w>> = Vec::new();
        for clause in &written.clauses {
            let name = &clause.name.value;
            let known = row
                .clause(name)
                .ok_or_else(|| unknown_clause(row, clause))?;
            let mut before = found.iter().filter(|_| known.form != Form::Reduction);
            if let Some(first) = before.find(|before| before.row.name == name) {
                let message = format!("the `{name}` clause is repeated");
                let problem = Diagnostic::error(codes::DUPLICATE_CLAUSE, message, clause.span);
                let problem = problem.also(first.clause.span, "first here");
                return Err(Box::new(problem.help("keep one of them")));
            }
            form(row, known, clause)?;
            found.push(Found { row: known, clause });
        }
        Ok(found)
    }

    fn kernel(
        &self,
        row: &DirectiveRow,
        written: &Directive<Expression>,
        clauses: &[Found<'_>],
    ) -> Read<Kernel> {
        let items = written.arguments.as_ref().map_or(&[][..], |a| &a.items);
        let name = match items {
            [
                Argument {
                    value: ArgumentValue::Name { name, .. },
                    ..
                },
            ] => name.clone(),
            [_, second, ..] => {
                let message = "a kernel has one name";
                return Err(malformed(message, second.span, Some(row)));
            }
            _ => {
                let message = "a kernel's name is an identifier without brackets";
                return Err(malformed(message, written.span, Some(row)));
            }
        };
        let sizes = |clause: &str| -> Read<Vec<Expression>> {
            let Some(found) = find(clauses, clause) else {
                let message = format!("the kernel `{}` has no `{clause}`", name.value);
                return Err(malformed(message, name.span, Some(row)));
            };
            found.items().iter().map(|item| self.size(item)).collect()
        };
        Ok(Kernel {
            grid: sizes("tblock")?,
            block: sizes("thread")?,
            is_async: find(clauses, "nowait").is_some(),
            name,
        })
    }

    /// The size of a dimension: a positive integer.
    fn size(&self, item: &Argument<Expression>) -> Read<Expression> {
        let wrong = |message: String, span| {
            let problem = Diagnostic::error(codes::CLAUSE_ARGUMENT, message, span);
            Box::new(problem.help("sizes are positive integers: `tblock(4, 2) thread(16, 16)`"))
        };
        let size = self.value(item)?;
        if !self.unit.types.is_integer(size.ty.ty) {
            return Err(wrong("a size is no integer".into(), size.span));
        }
        match crate::typed::constant::evaluate(self.unit, &size) {
            Some(n) if n < 1 => Err(wrong(format!("a dimension has {n} elements"), size.span)),
            Some(n) if n > i128::from(i32::MAX) => {
                let message = format!("a dimension has {n} elements, more than an `int` counts");
                Err(wrong(message, size.span))
            }
            _ => Ok(size),
        }
    }

    fn value(&self, item: &Argument<Expression>) -> Read<Expression> {
        match &item.value {
            ArgumentValue::Name {
                symbol: Some(e), ..
            }
            | ArgumentValue::Expression(e) => Ok(e.clone()),
            ArgumentValue::Name { name, .. } => Err(undeclared(name)),
            _ => Err(malformed("an expression is expected", item.span, None)),
        }
    }

    fn partition(&self, row: &DirectiveRow, span: Span, clauses: &[Found<'_>]) -> Read<Partition> {
        let blocks = match find(clauses, "over_tblock") {
            None => None,
            Some(found) => Some(match found.items() {
                [] => Order::Blocked,
                [one] => distribution(one)?,
                [_, second, ..] => {
                    let message = "there is one distribution";
                    return Err(malformed(message, second.span, Some(row)));
                }
            }),
        };
        let threads = find(clauses, "over_thread").is_some();
        if blocks.is_none() && !threads {
            let message = "`loop_partition` says over what";
            return Err(malformed(message, span, Some(row)));
        }
        let mut reductions: Vec<Reduction> = Vec::new();
        let all = clauses.iter().filter(|f| f.row.form == Form::Reduction);
        for reduction in all
            .map(|found| self.reductions(found))
            .collect::<Read<Vec<_>>>()?
            .concat()
        {
            let mut known = reductions.iter();
            if let Some(first) = known.find(|first| first.symbol == reduction.symbol) {
                let name = &self.unit.symbol(reduction.symbol).name;
                let message = format!("`{name}` is reduced twice");
                let problem = Diagnostic::error(codes::DUPLICATE_CLAUSE, message, reduction.span);
                let problem = problem.also(first.span, "first here");
                return Err(Box::new(problem.help("keep one of them")));
            }
            reductions.push(reduction);
        }
        Ok(Partition {
            blocks,
            threads,
            reductions,
        })
    }

    fn reductions(&self, found: &Found<'_>) -> Read<Vec<Reduction>> {
        let options = found.clause.arguments.as_ref().map(|list| &list.modifiers);
        let Some(operator) = options.and_then(|list| reductions::operator(&list.first()?.value))
        else {
            return Ok(Vec::new());
        };
        let list = self.variables(found.clause.arguments.as_ref())?;
        let reduction = |variable: Variable| {
            let ty = self.unit.symbol(variable.symbol).ty;
            let span = variable.span;
            if self.unit.types.is_array(ty.ty) || !variable.dimensions.is_empty() {
                let message = "a reduction of an array";
                let problem = Diagnostic::error(codes::REDUCTION_TYPE, message, span);
                return Err(Box::new(problem.help("reduce a scalar")));
            }
            match reductions::type_problem(self.unit, ty, operator, span) {
                Some(problem) => Err(Box::new(problem)),
                None => Ok(Reduction {
                    operator,
                    symbol: variable.symbol,
                    ty: ty.ty,
                    part: None,
                    keeps_value: false,
                    span,
                }),
            }
        };
        list.into_iter().map(reduction).collect()
    }

    fn data(
        &self,
        memory: Memory,
        row: &DirectiveRow,
        span: Span,
        clauses: &[Found<'_>],
    ) -> Read<Checked> {
        let of = |name: &str| find(clauses, name);
        let alone = |name: &str| clauses.len() == 1 && clauses[0].row.name == name;
        let first = clauses.first().and_then(|c| c.clause.arguments.as_ref());
        if alone("copyout") {
            let one = self.variables(first)?.pop();
            let one = one.ok_or_else(|| malformed("no variable", span, Some(row)))?;
            return Ok(Checked::CopyOut(memory, one));
        }
        if alone("free") || alone("remove") {
            let list = self.variables(first)?;
            if let Some(part) = list.iter().find(|one| !one.dimensions.is_empty()) {
                let word = clauses[0].row.name;
                let message = format!("`{word}` takes names without brackets");
                let problem = malformed(message, part.span, None);
                let name = &self.unit.symbol(part.symbol).name;
                let help = format!("write `#pragma hicuda {} {word} {name}`", row.name);
                return Err(Box::new(problem.help(help)));
            }
            return Ok(Checked::Free(memory, list));
        }
        let is_read_only = matches!(memory, Memory::Constant | Memory::Texture);
        if is_read_only && alone("copyin") {
            let list = self.variables(first)?;
            if list.is_empty() {
                return Err(malformed("`copyin` names no variable", span, Some(row)));
            }
            let all = list.into_iter().map(|variable| Allocation {
                copyin: Some(variable.clone()),
                clear: false,
                is_unchecked: false,
                variable,
            });
            return Ok(Checked::Alloc(memory, all.collect()));
        }
        let Some(alloc) = of("alloc") else {
            let message = match clauses.first() {
                Some(first) => format!("`{}` without `alloc`", first.row.name),
                None => format!("`{}` does nothing", row.name),
            };
            return Err(malformed(message, span, Some(row)));
        };
        if let Some(other) = ["copyout", "free", "remove"].into_iter().find_map(of) {
            let message = format!("`alloc` and `{}` in one directive", other.row.name);
            let problem = Diagnostic::error(codes::CLAUSE_CONFLICT, message, other.clause.span);
            let problem = problem.also(alloc.clause.span, "the memory begins here");
            return Err(Box::new(problem.help("write two directives")));
        }
        if let (Some(copyin), Some(clear)) = (of("copyin"), of("clear")) {
            let message = "`clear` and `copyin` both fill the memory";
            let problem = Diagnostic::error(codes::CLAUSE_CONFLICT, message, clear.clause.span);
            let problem = problem.also(copyin.clause.span, "here it is copied to");
            return Err(Box::new(problem.help("keep one of them")));
        }
        // The form has one at most.
        let only = |found: &Found<'_>| -> Read<Option<Variable>> {
            Ok(self.variables(found.clause.arguments.as_ref())?.pop())
        };
        let variable = only(alloc)?;
        let nothing = || malformed("`alloc` names nothing", alloc.clause.span, Some(row));
        let variable = variable.ok_or_else(nothing)?;
        let copyin = match of("copyin") {
            None => None,
            Some(found) => Some(only(found)?.unwrap_or_else(|| variable.clone())),
        };
        if is_read_only && copyin.is_none() {
            let message = format!("`{}` in {} memory is never filled", variable.text, row.name);
            return Err(malformed(message, variable.span, Some(row)));
        }
        if let Some(other) = copyin.as_ref().filter(|c| c.symbol != variable.symbol) {
            let message = format!("`alloc` and `copyin` of two variables, `{}`", other.text);
            let problem = malformed(message, other.span, None);
            let problem = problem.also(variable.span, "this one is allocated");
            return Err(Box::new(
                problem.help("name the same variable, or leave it out"),
            ));
        }
        let clear = of("clear").is_some();
        let options = of("copyin").and_then(|found| found.clause.arguments.as_ref());
        let is_unchecked = options.is_some_and(|list| !list.modifiers.is_empty());
        let allocation = Allocation {
            variable,
            copyin,
            clear,
            is_unchecked,
        };
        Ok(Checked::Alloc(memory, vec![allocation]))
    }

    fn variables(&self, list: Option<&Arguments<Expression>>) -> Read<Vec<Variable>> {
        let items = list.map_or(&[][..], |list| &list.items);
        items.iter().map(|item| self.variable(item)).collect()
    }

    fn variable(&self, item: &Argument<Expression>) -> Read<Variable> {
        let (base, dimensions) = match &item.value {
            ArgumentValue::Name { name, symbol } => {
                let base = symbol.as_ref().ok_or_else(|| undeclared(name))?;
                (base, Vec::new())
            }
            ArgumentValue::Section(section) => {
                let dimensions = section.dimensions.iter().map(|d| {
                    for part in d.parts.iter().flatten() {
                        if !self.unit.types.is_integer(part.ty.ty) {
                            let message = "the bounds of a section are integers";
                            return Err(section_problem(message, part.span));
                        }
                    }
                    let ends = match d.parts.as_slice() {
                        [] => None,
                        [Some(index)] => Some((index.clone(), index.clone())),
                        [Some(first), Some(last)] => Some((first.clone(), last.clone())),
                        _ => return Err(section_problem("a bound is missing", d.span)),
                    };
                    Ok(Bounds { ends, span: d.span })
                });
                (&section.base, dimensions.collect::<Read<Vec<Bounds>>>()?)
            }
            _ => return Err(malformed("a variable is expected", item.span, None)),
        };
        let Some(symbol) = base
            .inner()
            .as_symbol()
            .filter(|&s| self.unit.symbol(s).is_variable())
        else {
            let problem = Diagnostic::error(
                codes::NOT_A_VARIABLE,
                "hiCUDA's directives take variables by their names",
                item.span,
            );
            return Err(Box::new(problem.help("give it a variable of its own")));
        };
        Ok(Variable {
            symbol,
            text: text(self.unit, symbol, &dimensions),
            dimensions,
            span: item.span,
        })
    }
}

/// A variable's brackets as they could have been written.
fn text(unit: &Unit, symbol: SymbolId, dimensions: &[Bounds]) -> String {
    let mut out = unit.symbol(symbol).name.clone();
    for bounds in dimensions {
        let of = |e: &Expression| Printer::text(unit, &C, e);
        out += &match &bounds.ends {
            None => "[*]".to_string(),
            Some((first, last)) if first.span == last.span => format!("[{}]", of(first)),
            Some((first, last)) => format!("[{}:{}]", of(first), of(last)),
        };
    }
    out
}

/// A clause and its row.
struct Found<'w> {
    row: &'static ClauseRow,
    clause: &'w Clause<Expression>,
}

impl Found<'_> {
    fn items(&self) -> &[Argument<Expression>] {
        let arguments = self.clause.arguments.as_ref();
        arguments.map_or(&[], |arguments| &arguments.items)
    }
}

fn find<'f, 'w>(clauses: &'f [Found<'w>], name: &str) -> Option<&'f Found<'w>> {
    clauses.iter().find(|found| found.row.name == name)
}

fn distribution(item: &Argument<Expression>) -> Read<Order> {
    let word = match &item.value {
        ArgumentValue::Name { name, .. } => name.value.as_str(),
        _ => "",
    };
    match word {
        "BLOCK" => Ok(Order::Blocked),
        "CYCLIC" => Ok(Order::Cyclic),
        _ => {
            let message = "a distribution is `BLOCK` or `CYCLIC`";
            let problem = Diagnostic::error(codes::CLAUSE_ARGUMENT, message, item.span);
            let help = "case matters: `over_tblock(CYCLIC)`; `over_tblock` alone is `BLOCK`";
            Err(Box::new(problem.help(help)))
        }
    }
}

/// Whether an expression of a directive has an error that was reported already.
fn has_error(written: &Directive<Expression>) -> bool {
    let is_error = |e: &Expression| visit::any(e, &mut |e| matches!(e.kind, ExpressionKind::Error));
    directives::evaluated(written).into_iter().any(is_error)
}
