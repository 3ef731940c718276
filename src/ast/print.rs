//! The tree as stable text, for `--emit ast` and for tests.
//!
//! S-expressions: a line for each declaration and statement, indented by
//! depth; expressions and types within their line. Types read from the name
//! outwards: `int *a[3]` is `(a (array 3) pointer)` of `int`. Directives keep
//! the shape of [`super::Directive`]: modifiers end in `:`, labels in `=`.
//!
//! Each node says what it is made of ([`Print`]): fixed text and other nodes,
//! in order.

mod declaration;
mod expression;

use super::{
    Argument, ArgumentValue, Arguments, BlockItem, Clause, CompoundStatement, Directive,
    Expression, ExternalItem, ForInitializer, ForStatement, FunctionDefinition, Section,
    SectionDimension, Statement, StatementKind, StaticAssert, StringLiteral, TranslationUnit,
};
use crate::source::Spanned;

/// The text of a translation unit; every item ends with a newline.
pub fn print(unit: &TranslationUnit) -> String {
    let mut printer = Printer::default();
    for item in &unit.items {
        printer.write(&[item, &"\n"]);
    }
    printer.out
}

/// Text under construction.
#[derive(Default)]
struct Printer {
    out: String,
    indent: usize,
}

impl Printer {
    /// Parts one behind the other.
    fn write(&mut self, parts: &[&dyn Print]) {
        for part in parts {
            part.print(self);
        }
    }

    /// `(name part…)`.
    fn form(&mut self, name: &str, parts: &[&dyn Print]) {
        self.write(&[&"(", &name, &Each(" ", parts), &")"]);
    }
}

/// What can stand in the text.
trait Print {
    fn print(&self, p: &mut Printer);
}

/// Parts with a text before each.
struct Each<'a, T>(&'a str, &'a [T]);

/// Parts with a text between them.
struct Between<'a, T>(&'a str, &'a [T]);

/// Parts on lines of their own, one level deeper.
struct Lines<'a, T>(&'a [T]);

impl<T: Print> Print for Each<'_, T> {
    fn print(&self, p: &mut Printer) {
        for part in self.1 {
            p.write(&[&self.0, part]);
        }
    }
}

impl<T: Print> Print for Between<'_, T> {
    fn print(&self, p: &mut Printer) {
        if let [first, rest @ ..] = self.1 {
            p.write(&[first, &Each(self.0, rest)]);
        }
    }
}

impl<T: Print> Print for Lines<'_, T> {
    fn print(&self, p: &mut Printer) {
        for part in self.0 {
            p.indent += 1;
            p.out.push('\n');
            p.out.push_str(&"  ".repeat(p.indent));
            part.print(p);
            p.indent -= 1;
        }
    }
}

impl Print for str {
    fn print(&self, p: &mut Printer) {
        p.out.push_str(self);
    }
}

impl Print for String {
    fn print(&self, p: &mut Printer) {
        p.out.push_str(self);
    }
}

impl<T: Print + ?Sized> Print for &T {
    fn print(&self, p: &mut Printer) {
        (**self).print(p);
    }
}

impl<T: Print> Print for Box<T> {
    fn print(&self, p: &mut Printer) {
        (**self).print(p);
    }
}

impl<T: Print> Print for Spanned<T> {
    fn print(&self, p: &mut Printer) {
        self.value.print(p);
    }
}

/// `_` stands for what may be there and is not.
impl<T: Print> Print for Option<T> {
    fn print(&self, p: &mut Printer) {
        match self {
            Some(part) => part.print(p),
            None => "_".print(p),
        }
    }
}

impl Print for ExternalItem {
    fn print(&self, p: &mut Printer) {
        match self {
            Self::Function(function) => function.print(p),
            Self::Declaration(declaration) => declaration.print(p),
            Self::StaticAssert(assert) => assert.print(p),
            Self::Assembly(_) => p.form("asm", &[]),
            Self::Directive(directive) => p.form("directive", &[directive]),
        }
    }
}

impl Print for FunctionDefinition {
    fn print(&self, p: &mut Printer) {
        p.write(&[&"(function ", &self.specifiers, &" ", &self.declarator]);
        p.write(&[&Lines(&self.parameter_declarations), &self.body, &")"]);
    }
}

impl Print for StaticAssert {
    fn print(&self, p: &mut Printer) {
        let message = Each(" ", self.message.as_slice());
        p.write(&[&"(static-assert ", &self.condition, &message, &")"]);
    }
}

impl Print for StringLiteral {
    fn print(&self, p: &mut Printer) {
        Between(" ", &self.pieces).print(p);
    }
}

/// The items of a block, each on its line.
impl Print for CompoundStatement {
    fn print(&self, p: &mut Printer) {
        Lines(&self.items).print(p);
    }
}

impl Print for BlockItem {
    fn print(&self, p: &mut Printer) {
        match self {
            Self::Declaration(declaration) => declaration.print(p),
            Self::StaticAssert(assert) => assert.print(p),
            Self::Statement(statement) => statement.print(p),
            Self::Function(function) => function.print(p),
        }
    }
}

impl Print for Statement {
    fn print(&self, p: &mut Printer) {
        use StatementKind as S;
        let one = std::slice::from_ref::<Box<Self>>;
        match &self.kind {
            S::Expression(None) => p.form("empty", &[]),
            S::Expression(Some(e)) => p.form("do", &[e]),
            S::Compound(block) => p.write(&[&"(block", block, &")"]),
            S::Run(items) => p.write(&[&"(run", &Lines(items), &")"]),
            S::If(condition, then, otherwise) => {
                let otherwise = Lines(otherwise.as_slice());
                p.write(&[&"(if ", condition, &Lines(one(then)), &otherwise, &")"]);
            }
            S::Switch(value, body) => p.write(&[&"(switch ", value, &Lines(one(body)), &")"]),
            S::While(condition, body) => {
                p.write(&[&"(while ", condition, &Lines(one(body)), &")"]);
            }
            S::DoWhile(body, condition) => {
                p.write(&[&"(do-while ", condition, &Lines(one(body)), &")"]);
            }
            S::For(parts) => parts.print(p),
            S::Labeled(label, body) => p.write(&[&"(label ", label, &Lines(one(body)), &")"]),
            S::Case(low, high, body) => {
                let high = Each(" ... ", high.as_slice());
                p.write(&[&"(case ", low, &high, &Lines(one(body)), &")"]);
            }
            S::Default(body) => p.write(&[&"(default", &Lines(one(body)), &")"]),
            S::Directive(directive, body) => {
                p.write(&[&"(directive ", directive, &Lines(body.as_slice()), &")"]);
            }
            S::Goto(label) => p.form("goto", &[label]),
            S::ComputedGoto(target) => p.form("goto *", &[target]),
            S::Continue => p.form("continue", &[]),
            S::Break => p.form("break", &[]),
            S::Return(value) => p.write(&[&"(return", &Each(" ", value.as_slice()), &")"]),
            S::Assembly => p.form("asm", &[]),
        }
    }
}

impl Print for ForStatement {
    fn print(&self, p: &mut Printer) {
        p.write(&[&"(for ", &self.initializer, &" ", &self.condition]);
        let body = std::slice::from_ref(&self.body);
        p.write(&[&" ", &self.step, &Lines(body), &")"]);
    }
}

impl Print for ForInitializer {
    fn print(&self, p: &mut Printer) {
        match self {
            Self::Expression(expression) => expression.print(p),
            Self::Declaration(declaration) => declaration.print(p),
        }
    }
}

/// Without parentheses, since a body may follow.
impl Print for Directive<Expression> {
    fn print(&self, p: &mut Printer) {
        let arguments = Each("", self.arguments.as_slice());
        p.write(&[&self.name_text(), &arguments, &Each(" ", &self.clauses)]);
    }
}

impl Print for Clause<Expression> {
    fn print(&self, p: &mut Printer) {
        p.write(&[&self.name, &Each("", self.arguments.as_slice())]);
    }
}

impl Print for Arguments<Expression> {
    fn print(&self, p: &mut Printer) {
        p.out.push('(');
        for modifier in &self.modifiers {
            p.write(&[modifier, &": "]);
        }
        p.write(&[&Between(", ", &self.items), &")"]);
    }
}

impl Print for Argument<Expression> {
    fn print(&self, p: &mut Printer) {
        if let Some(label) = &self.label {
            p.write(&[label, &"="]);
        }
        match &self.value {
            ArgumentValue::Name { name, .. } => name.print(p),
            ArgumentValue::Expression(expression) => expression.print(p),
            ArgumentValue::Section(section) => section.print(p),
            ArgumentValue::Star => "*".print(p),
        }
    }
}

impl Print for Section<Expression> {
    fn print(&self, p: &mut Printer) {
        p.write(&[&self.base, &Each("", &self.dimensions)]);
    }
}

impl Print for SectionDimension<Expression> {
    fn print(&self, p: &mut Printer) {
        let parts: Vec<_> = self
            .parts
            .iter()
            .map(|part| Each("", part.as_slice()))
            .collect();
        p.write(&[&"[", &Between(":", &parts), &"]"]);
    }
}
