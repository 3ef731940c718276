//! Statements, as GNU statement expressions need them.

use super::{Language, Printer, precedence};
use crate::typed::{
    Expression, For, LocalDeclaration, Statement, StatementKind, case_range, visit,
};

impl<L: Language> Printer<'_, L> {
    /// `({ … })` on one line.
    pub(super) fn statement_expression(&mut self, statement: &Statement) {
        self.out.push('(');
        self.statement(statement);
        self.out.push(')');
    }

    /// A statement on one line.
    pub fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Expression(e) => {
                if let Some(e) = e {
                    self.expression(e, precedence::COMMA);
                }
                self.out.push(';');
            }
            StatementKind::Declaration(list) => self.local_declarations(list),
            StatementKind::Compound(items) => {
                self.push("{ ");
                for item in items {
                    self.statement(item);
                    self.out.push(' ');
                }
                self.out.push('}');
            }
            StatementKind::If(condition, then, otherwise) => {
                self.head("if", condition);
                self.statement(then);
                if let Some(otherwise) = otherwise {
                    self.push(" else ");
                    self.statement(otherwise);
                }
            }
            StatementKind::While(condition, body) => {
                self.head("while", condition);
                self.statement(body);
            }
            StatementKind::Switch(value, body) => {
                let mut ranges = Vec::new();
                add_ranges(body, &mut ranges);
                match ranges.is_empty() {
                    true => self.head("switch", value),
                    false => self.head_of_ranges(value, &ranges),
                }
                self.statement(body);
            }
            StatementKind::DoWhile(body, condition) => {
                self.push("do ");
                self.statement(body);
                self.push(" while (");
                self.expression(condition, precedence::COMMA);
                self.push(");");
            }
            StatementKind::For(statement) => self.for_statement(statement),
            _ => self.jump(statement),
        }
    }

    /// `keyword (condition) `.
    fn head(&mut self, keyword: &str, condition: &crate::typed::Expression) {
        self.push(keyword);
        self.push(" (");
        self.expression(condition, precedence::COMMA);
        self.push(") ");
    }

    /// `switch (value) `, whose labels have ranges.
    fn head_of_ranges(&mut self, value: &Expression, ranges: &[(i128, i128)]) {
        const NAME: &str = "accrs_key";
        let declared = self.declaration(value.ty, NAME);
        self.push(&format!("switch (({{ {declared} = "));
        self.expression(value, precedence::ASSIGNMENT);
        let is_signed = self.unit.types.is_signed(value.ty.ty);
        let taken = case_range::first_of(NAME, is_signed, ranges);
        self.push(&format!("; {taken}; }})) "));
    }

    fn local_declarations(&mut self, list: &[LocalDeclaration]) {
        for (i, declaration) in list.iter().enumerate() {
            if i > 0 {
                self.out.push(' ');
            }
            for length in &declaration.lengths {
                if let Some(name) = self.language.variable_length(*length) {
                    self.push(&format!("[[maybe_unused]] const long {name} = "));
                    let value = self.unit.length(*length);
                    self.expression(value, precedence::ASSIGNMENT);
                    self.push("; ");
                }
            }
            let (specifiers, declarator) = self.local_declarator(declaration);
            self.push(&format!("{specifiers} {declarator}"));
            self.value_of(declaration);
            self.out.push(';');
        }
    }

    fn local_declarator(&self, declaration: &LocalDeclaration) -> (String, String) {
        let ty = self.unit.symbol(declaration.symbol).ty;
        let ty = self.language.declared(self.unit, ty);
        let name = self.language.symbol(self.unit, declaration.symbol);
        self.declarator_by(ty, &name, None)
    }

    /// ` = e`, if the variable has a value.
    fn value_of(&mut self, declaration: &LocalDeclaration) {
        let Some(value) = &declaration.initializer else {
            return;
        };
        self.push(" = ");
        let ty = self.unit.symbol(declaration.symbol).ty;
        match self.language.initializer(self.unit, value, ty) {
            Some(text) => self.push(&text),
            None => self.initializer(value),
        }
    }

    /// `for (int i = 0, *p = &i; …)`. Variables that no one declaration can declare, since some
    /// have a type without a name, or different qualifiers, stand in a block around the loop.
    fn for_statement(&mut self, statement: &For) {
        let list = match statement.initializer.as_ref().map(|s| &s.kind) {
            Some(StatementKind::Declaration(list)) => list.as_slice(),
            _ => &[],
        };
        let declarators: Vec<_> = list.iter().map(|one| self.local_declarator(one)).collect();
        let has_lengths = list.iter().any(|one| !one.lengths.is_empty());
        let are_alike = declarators.windows(2).all(|pair| pair[0].0 == pair[1].0);
        let in_block = has_lengths || !are_alike;
        if in_block {
            self.push("{ ");
            self.local_declarations(list);
            self.push(" for (;");
        } else if let Some((specifiers, _)) = declarators.first() {
            self.push(&format!("for ({specifiers} "));
            for (i, (one, (_, declarator))) in list.iter().zip(&declarators).enumerate() {
                self.push(if i > 0 { ", " } else { "" });
                self.push(declarator);
                self.value_of(one);
            }
            self.out.push(';');
        } else {
            self.push("for (");
            match &statement.initializer {
                Some(initializer) => self.statement(initializer),
                None => self.out.push(';'),
            }
        }
        self.out.push(' ');
        if let Some(condition) = &statement.condition {
            self.expression(condition, precedence::COMMA);
        }
        self.push("; ");
        if let Some(step) = &statement.step {
            self.expression(step, precedence::COMMA);
        }
        self.push(") ");
        self.statement(&statement.body);
        self.push(if in_block { " }" } else { "" });
    }

    fn jump(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Case(label, body) => {
                match &label.written {
                    Some(value) => {
                        self.push("case ");
                        self.expression(value, precedence::COMMA);
                    }
                    None => self.push(&format!("case {}", label.first)),
                }
                let range = label.last.map(|last| format!(" /* ... {last} */"));
                self.push(&format!(":{} ", range.unwrap_or_default()));
                self.statement(body);
            }
            StatementKind::Default(body) => {
                self.push("default: ");
                self.statement(body);
            }
            StatementKind::Labeled(label, body) => {
                self.push(&format!("{label}: "));
                self.statement(body);
            }
            StatementKind::Goto(label) => self.push(&format!("goto {label};")),
            StatementKind::ComputedGoto(target) => {
                self.push("goto *");
                self.expression(target, precedence::UNARY);
                self.out.push(';');
            }
            StatementKind::Break => self.push("break;"),
            StatementKind::Continue => self.push("continue;"),
            StatementKind::Return(value) => {
                self.push("return");
                if let Some(value) = value {
                    self.out.push(' ');
                    self.expression(value, precedence::COMMA);
                }
                self.out.push(';');
            }
            // The directive's own text is the front end's business; the
            // statement under it keeps its meaning without it.
            StatementKind::Directive(_, Some(body)) => self.statement(body),
            _ => self.out.push(';'),
        }
    }
}

/// The ranges of a `switch`'s own labels.
fn add_ranges(statement: &Statement, found: &mut Vec<(i128, i128)>) {
    if let StatementKind::Case(label, _) = &statement.kind {
        found.extend(label.last.map(|last| (label.first, last)));
    }
    if !matches!(statement.kind, StatementKind::Switch(..)) {
        visit::children(statement, &mut |inner| add_ranges(inner, found));
    }
}
