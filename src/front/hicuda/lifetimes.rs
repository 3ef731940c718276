//! How long variables are on the device: allocated, copied and freed in one block, and jumped
//! around by nothing (the paper's sections 4.2 and 5.1).

use super::checked::{Allocation, Variable};
use super::host::{Lowering, Placed};
use super::table::Memory;
use crate::ast::Directive;
use crate::diagnostic::{Diagnostic, codes};
use crate::front::lowering::jumps::Way;
use crate::ir::{DataAction, DataItem};
use crate::source::Span;
use crate::typed::Expression;
use crate::typed::constant::evaluate;

impl Lowering<'_, '_> {
    /// A jump that leaves all blocks but the outermost `outside`.
    pub(super) fn left(&mut self, span: Span, outside: usize, what: &str) {
        if let Some(placed) = self.placed.iter_mut().find(|p| p.depth > outside) {
            let name = &self.unit.symbol(placed.symbol).name;
            let message = format!("{what} leaves `{name}` on the device");
            let problem = Diagnostic::error(codes::ALLOCATION, message, span);
            let problem = problem.also(placed.item.span, "allocated here");
            let problem = problem.help("free it first, or jump to where it is freed");
            placed.left.push(problem);
        }
    }

    pub(super) fn shape(&mut self, directive: &Directive<Expression>, list: &[Variable]) {
        for variable in list {
            let name = &self.unit.symbol(variable.symbol).name;
            let types = &self.unit.types;
            let is_pointer = types.is_pointer(self.unit.symbol(variable.symbol).ty.ty);
            let is_empty = |e: &Expression| evaluate(self.unit, e).is_some_and(|n| n < 1);
            let sizes = variable.dimensions.iter().map(|bounds| match &bounds.ends {
                Some((first, last)) if first.span == last.span => Some(first.clone()),
                _ => None,
            });
            let sizes: Option<Vec<Expression>> = sizes.collect();
            let problem = match &sizes {
                _ if !is_pointer => format!("`{name}` is no pointer"),
                None => "a shape gives the length of each dimension".to_string(),
                Some(sizes) if sizes.is_empty() => format!("`{name}` gets no dimensions"),
                Some(sizes) if sizes.iter().any(is_empty) => {
                    format!("a dimension of `{name}` has no elements")
                }
                Some(sizes) => {
                    self.shapes.insert(variable.symbol, sizes.clone());
                    continue;
                }
            };
            let problem = Diagnostic::error(codes::NO_SHAPE, problem, variable.span);
            self.diagnostics
                .push(problem.help("write `#pragma hicuda shape p[n][m]` for a pointer `p`"));
        }
        self.module.consumed.push(directive.span);
    }

    pub(super) fn alloc(
        &mut self,
        memory: Memory,
        directive: &Directive<Expression>,
        list: &[Allocation],
    ) {
        let mut data = Vec::new();
        for allocation in list {
            let variable = &allocation.variable;
            if let Some(first) = self.placed.iter().find(|p| p.symbol == variable.symbol) {
                let name = &self.unit.symbol(variable.symbol).name;
                let message = match first.memory == memory {
                    true => format!("`{name}` is allocated already"),
                    false => format!("`{name}` is in {} memory already", first.memory.word()),
                };
                let problem = Diagnostic::error(codes::ALLOCATION, message, variable.span);
                let problem = problem.also(first.item.span, "here");
                self.diagnostics.push(problem.help("free it first"));
                continue;
            }
            let items = self.items_of(allocation);
            let [item, copies @ ..] = items.as_slice() else {
                self.refused.insert(variable.symbol);
                continue;
            };
            let placed = Placed {
                memory,
                symbol: variable.symbol,
                item: item.clone(),
                depth: self.depth,
                left: Vec::new(),
            };
            self.ever_placed.push(placed.clone());
            self.placed.push(placed);
            data.push(item.clone());
            data.extend(copies.iter().cloned());
        }
        self.region(directive, data);
    }

    /// What an allocation does; nothing if that is wrong.
    pub(super) fn items_of(&mut self, allocation: &Allocation) -> Vec<DataItem> {
        let reader = self.reader();
        let made = reader.item(DataAction::Create, &allocation.variable);
        let copied = allocation.copyin.as_ref();
        let copied = copied.map(|copied| reader.item(DataAction::CopyIn, copied));
        let result = made.map(|mut made| {
            made.modifiers.zero = allocation.clear;
            let is_inside = |copied: DataItem| reader.inside(&made, &copied).map(|()| copied);
            let copied = copied.map(|copied| copied.and_then(is_inside));
            (made, copied.transpose())
        });
        match result {
            Ok((made, Ok(copied))) => std::iter::once(made).chain(copied).collect(),
            Ok((made, Err(problem))) => {
                self.diagnostics.push(problem);
                vec![made]
            }
            Err(problem) => {
                self.diagnostics.push(problem);
                Vec::new()
            }
        }
    }

    pub(super) fn copy_out(
        &mut self,
        memory: Memory,
        directive: &Directive<Expression>,
        variable: &Variable,
    ) {
        let name = &self.unit.symbol(variable.symbol).name;
        let Some(placed) = self.placed.iter().find(|p| p.symbol == variable.symbol) else {
            if self.has_unknown || self.refused.contains(&variable.symbol) {
                return;
            }
            let message = format!("`{name}` is not on the device here");
            let problem = Diagnostic::error(codes::ALLOCATION, message, variable.span);
            let word = memory.word();
            self.diagnostics.push(problem.help(format!(
                "`#pragma hicuda {word} alloc` of it belongs before, in the same block or around it"
            )));
            return;
        };
        if placed.memory != memory {
            let word = placed.memory.word();
            let message = format!("`{name}` is in {word} memory, which kernels do not write");
            let problem = Diagnostic::error(codes::ALLOCATION, message, variable.span);
            let problem = problem.also(placed.item.span, "placed here");
            let help = "leave the copy out, or place it with `global`";
            return self.diagnostics.push(problem.help(help));
        }
        let reader = self.reader();
        let item = reader.item(DataAction::CopyOut, variable);
        match item.and_then(|item| reader.inside(&placed.item, &item).map(|()| item)) {
            Ok(item) => self.region(directive, vec![item]),
            Err(problem) => self.diagnostics.push(problem),
        }
    }

    pub(super) fn free(
        &mut self,
        memory: Memory,
        directive: &Directive<Expression>,
        list: &[Variable],
    ) {
        let mut data = Vec::new();
        for variable in list {
            let name = &self.unit.symbol(variable.symbol).name;
            let is_it = |p: &Placed| p.symbol == variable.symbol && p.memory == memory;
            let position = self.placed.iter().position(is_it);
            let problem =
                |message: String| Diagnostic::error(codes::ALLOCATION, message, variable.span);
            let Some(position) = position else {
                let placed = self.placed(variable.symbol);
                let may_be = self.has_unknown && placed.is_none();
                if may_be || self.refused.contains(&variable.symbol) {
                    continue;
                }
                self.diagnostics.push(match placed {
                    Some(placed) => {
                        let word = placed.memory.word();
                        problem(format!("`{name}` is in {word} memory"))
                            .also(placed.item.span, "placed here")
                            .help(format!("write `#pragma hicuda {word} free {name}`"))
                    }
                    None => problem(format!("`{name}` is freed and was not allocated"))
                        .help("allocation and end stand in one block; each is freed once"),
                });
                continue;
            };
            let placed = self.placed.remove(position);
            if placed.depth != self.depth {
                let problem = problem(format!("`{name}` is freed in a block of its own"));
                let problem = problem.also(placed.item.span, "allocated here");
                self.diagnostics
                    .push(problem.help("free it in the block that allocates it"));
            }
            self.jumped(
                &placed,
                Span::new(placed.item.span.end, directive.span.start),
            );
            for problem in placed.left {
                self.diagnostics.push(problem);
            }
            let mut item = placed.item;
            item.action = DataAction::Delete;
            item.text.clone_from(name);
            data.push(item);
        }
        self.region(directive, data);
    }

    /// Jumps out of the life of a variable on the device, and into it.
    fn jumped(&mut self, placed: &Placed, life: Span) {
        let name = &self.unit.symbol(placed.symbol).name;
        for (way, span) in self.ways.across(life) {
            let inside = "move the label out of the part from `alloc` to the end";
            let (message, help) = match way {
                Way::Out(label) => (
                    format!("`goto {label}` leaves `{name}` on the device"),
                    "free it first",
                ),
                Way::In(label) => (
                    format!("`goto {label}` passes by the `alloc` of `{name}`"),
                    inside,
                ),
                Way::Case => (
                    format!("this `case` passes by the `alloc` of `{name}`"),
                    inside,
                ),
            };
            let problem = Diagnostic::error(codes::ALLOCATION, message, span);
            let problem = problem.also(placed.item.span, "allocated here");
            self.diagnostics.push(problem.help(help));
        }
    }
}
