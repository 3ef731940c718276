//! Kernels: what they use of the host's variables, and how it reaches them (the paper's
//! sections 5.2 and 5.5).
//!
//! | variable | on the device |
//! |---|---|
//! | array, pointer | what a directive put there: of this function, or of a caller |
//! | scalar, struct, with `global alloc` | in device memory |
//! | any other scalar or struct | its value at the launch; what a thread writes is its own |

use super::body::{Body, not_yet};
use super::checked;
use super::host::Lowering;
use super::sections::has_whole_rows;
use super::table::Memory;
use crate::analysis::flow::{self, Rest};
use crate::ast::Directive;
use crate::diagnostic::{Diagnostic, codes};
use crate::front::lowering::launch_values::{constant_table, known_at_launch, stays};
use crate::front::lowering::usage::{self, Use};
use crate::front::lowering::windows::bounds;
use crate::front::lowering::{copies, jumps, promotion, short_rows};
use crate::ir::{
    Capture, ConstantArray, Execution, Extent, HostRole, Kernel, KernelId, Launch, Passing,
    PerLevel, Range, Region, RegionKind, RegionLocal, Shape, Statement, StatementKind, Vocabulary,
    Window, in_order, visit as ir_visit,
};
use crate::typed::{self, Expression, QualType, SymbolId, Type};
use std::collections::BTreeSet;

/// What hiCUDA calls the levels, for messages.
const WORDS: Vocabulary = Vocabulary {
    levels: PerLevel {
        block: "tblock",
        row: "thread",
        lane: "thread",
    },
    sizes: PerLevel {
        block: "tblock",
        row: "thread",
        lane: "thread",
    },
};

impl<'u> Lowering<'u, '_> {
    /// Lowers a kernel.
    pub(super) fn kernel(
        &mut self,
        directive: &Directive<Expression>,
        asked: &'u checked::Kernel,
        body: &'u typed::Statement,
        whole: &'u typed::Statement,
    ) {
        let construct = jumps::Construct {
            name: "kernel",
            directive: directive.span,
        };
        jumps::out_of(body, construct, false, self.diagnostics);
        jumps::into(&self.function.body, body, construct, self.diagnostics);
        self.jumps_into_sections(body);
        self.declared_inside(body);
        self.named_twice(asked);
        let reader = super::sections::Reader {
            unit: self.unit,
            shapes: &self.shapes,
        };
        let mut lowering = Body::new(reader, self.directives, Some(asked), self.diagnostics);
        let mut list = lowering.run(body);
        let unit = self.unit;
        self.reach(&list);
        self.unmet(&list, asked);
        let reductions = self.reductions(&mut list, asked);
        let rest = Rest::of(unit, &self.function.body, whole.span);
        let mut in_memory: Vec<SymbolId> = self.placed.iter().map(|p| p.symbol).collect();
        let used = usage::of(self.unit, &list);
        in_memory.extend(
            used.outside()
                .map(|u| u.0)
                .filter(|s| self.is_in_memory(*s)),
        );
        let addresses = self.addresses.clone();
        let live = |symbol: SymbolId| {
            let variable = unit.symbol(symbol);
            let is_outside = !body.span.contains(variable.span);
            let reaches = !variable.is_automatic() || addresses.contains(&symbol);
            // Of a pointer, what it points to is in device memory, and not itself.
            let is_shared = in_memory.contains(&symbol) && !unit.types.is_pointer(variable.ty.ty);
            is_outside && !is_shared && (reaches || rest.may_read(symbol))
        };
        let mut lost = Vec::new();
        ir_visit::loops(&list, &mut |l| {
            if l.schedule.directive && !l.declared_inside && live(l.induction) {
                lost.push((l.induction, l.header));
            }
        });
        copies::of_loops(
            self.unit,
            Execution::Redundant,
            &mut list,
            &in_memory,
            &live,
        );
        let used = usage::of(self.unit, &list);
        used.problems()
            .for_each(|problem| self.diagnostics.push(problem));
        for (&symbol, &span) in &used.calls {
            self.called.entry(symbol).or_insert(span);
        }
        let mut locals = Vec::new();
        let mut kernel = Kernel {
            words: WORDS,
            title: format!("kernel {}", asked.name.value),
            name: Some(asked.name.value.clone()),
            directive: directive.span,
            span: body.span,
            reductions,
            ..Kernel::empty(Execution::Redundant, self.function.symbol)
        };
        let owned = copies::Owned::of(&list);
        for (symbol, place) in used.outside() {
            if owned.is_only_theirs(symbol) {
                continue;
            }
            let is_own = self.is_own(&list, symbol, place);
            if is_own && live(symbol) || place.assigned && !is_own && live(symbol) {
                lost.push((symbol, place.span));
            }
            match is_own {
                true => kernel.privates.push(symbol),
                false => {
                    let capture = self.capture(&mut list, symbol, place, &mut locals);
                    let table = capture.as_ref().and_then(|c| self.table(c));
                    kernel.wanted_tables.extend(table);
                    kernel.captures.extend(capture);
                }
            }
        }
        ir_visit::loops(&list, &mut |inner| {
            let owned = inner.privates.iter().chain([&inner.induction]);
            lost.extend(owned.filter(|s| live(**s)).map(|s| (*s, inner.lower.span)));
        });
        let mut said = BTreeSet::new();
        for (symbol, span) in lost {
            if said.insert(symbol) {
                let is_counter = ir_visit::any_loop(&list, &mut |l| l.induction == symbol);
                self.lost(symbol, span, is_counter);
            }
        }
        let grid = self.sizes(&asked.grid, "tblock", &mut locals);
        let block = self.sizes(&asked.block, "thread", &mut locals);
        let ranges = |array: SymbolId| match &self.placed(array)?.item.extent {
            Extent::Section { ranges, .. } => Some(ranges.as_slice()),
            _ => None,
        };
        let stays = |e: &Expression| stays(self.unit, self.function, &self.addresses, e);
        let captures = &kernel.captures;
        let bounds = bounds::of_windows(unit, captures, &mut list, &mut locals, &ranges, &stays);
        let lowers = kernel.captures.iter().filter_map(|c| c.section_of.as_ref());
        let lowers: Vec<Expression> = lowers.flat_map(|s| s.lowers.iter().cloned()).collect();
        for size in grid.iter().chain(&block).chain(&lowers).chain(&bounds) {
            if let Some(symbol) = size.as_symbol()
                && kernel.capture(symbol).is_none()
            {
                kernel.captures.push(Capture {
                    symbol,
                    passing: Passing::Value,
                    written: false,
                    known: true,
                    section_of: None,
                });
            }
        }
        self.fits(asked);
        kernel.shape = Some(Shape::Grid { grid, block });
        kernel.body = list;
        let id = KernelId::at(self.module.kernels.len());
        self.module.kernels.push(kernel);
        let launches = vec![Launch::of(id)];
        let kind = RegionKind::Compute {
            steps: in_order(1),
            launches,
            host: match asked.is_async {
                true => HostRole::GoesOn,
                false => HostRole::Waits,
            },
        };
        let title = format!("kernel {}", asked.name.value);
        self.module.regions.push(Region {
            body: Some(body.span),
            locals,
            ..Region::empty(kind, title, self.function.symbol, directive.span)
        });
    }

    /// Sizes that the launcher gets by value: constants, variables, or variables that hold them.
    fn sizes(
        &self,
        sizes: &[Expression],
        clause: &str,
        locals: &mut Vec<RegionLocal>,
    ) -> Vec<Expression> {
        let size = |(at, size): (usize, &Expression)| {
            known_at_launch(self.unit, size, &format!("{clause}_{}", at + 1), locals)
        };
        sizes.iter().enumerate().map(size).collect()
    }

    /// Whether each thread has a variable of its own, which begins without a value.
    fn is_own(&self, list: &[Statement], symbol: SymbolId, place: Use) -> bool {
        let is_array = self.unit.types.is_array(self.unit.symbol(symbol).ty.ty);
        place.assigned
            && !is_array
            && !self.is_in_memory(symbol)
            && !flow::of_list(self.unit, list, symbol).exposed
    }

    /// The table in constant memory of what a directive puts there, where its size is known.
    fn table(&self, capture: &Capture) -> Option<ConstantArray> {
        let placed = self.placed(capture.symbol)?;
        let is_constant = placed.memory == Memory::Constant;
        is_constant.then(|| constant_table(self.unit, capture.symbol, &placed.item.extent))?
    }

    /// Whether a pointer leads to elements, of which a shape makes several dimensions.
    fn is_flat(&self, symbol: SymbolId, dimensions: usize) -> bool {
        let to = self.unit.types.pointee(self.unit.symbol(symbol).ty.ty);
        let is_pointer = self.unit.types.is_pointer(self.unit.symbol(symbol).ty.ty);
        is_pointer && dimensions > 1 && to.is_some_and(|to| !self.unit.types.is_array(to.ty))
    }

    /// The kernel has an array of several dimensions in the place of a pointer to elements.
    fn promoted(
        &mut self,
        list: &mut [Statement],
        symbol: SymbolId,
        place: Use,
        ranges: &[Range],
        element: QualType,
        locals: &mut Vec<RegionLocal>,
    ) -> Option<Capture> {
        let lengths = self.shapes.get(&symbol)?.clone();
        let whole = short_rows::whole(ranges);
        let array = short_rows::stand_in(self.unit, symbol, &whole, element);
        if let Err(span) = promotion::replace(self.unit, list, (symbol, array), &lengths) {
            let name = &self.unit.symbol(symbol).name;
            let message = format!("an offset from `{name}` is not proved to be inside its shape");
            let problem = Diagnostic::error(codes::NO_SHAPE, message, span);
            let shape = self
                .placed(symbol)
                .map_or(place.span, |placed| placed.item.span);
            let problem = problem.also(shape, "its dimensions are needed for this");
            self.diagnostics.push(problem.help(format!(
                "make `{name}` a pointer to rows, and write `{name}[i][j]`"
            )));
            return None;
        }
        self.section(list, (array, symbol), place, ranges, element, locals)
    }

    /// The device has rows of another length than the host: the kernel's array is one of its
    /// own, of the same name. `host` is the array that the host has.
    fn section(
        &mut self,
        list: &mut [Statement],
        (symbol, host): (SymbolId, SymbolId),
        place: Use,
        ranges: &[Range],
        element: QualType,
        locals: &mut Vec<RegionLocal>,
    ) -> Option<Capture> {
        let arrays = (symbol, host);
        match short_rows::capture(self.unit, list, arrays, place, (ranges, element), locals) {
            Ok(capture) => Some(capture),
            Err(span) => {
                let name = &self.unit.symbol(symbol).name;
                let message = format!("a part of the rows of `{name}`, used as a pointer,");
                self.diagnostics.push(
                    not_yet(&message, span)
                        .help("allocate whole rows, `[first:last][*]`, or use its elements alone"),
                );
                None
            }
        }
    }

    fn capture(
        &mut self,
        list: &mut [Statement],
        symbol: SymbolId,
        place: Use,
        locals: &mut Vec<RegionLocal>,
    ) -> Option<Capture> {
        let variable = self.unit.symbol(symbol);
        let placed = self.placed(symbol);
        let passing = match self.unit.types.get(variable.ty.ty) {
            Type::Array { .. } => Passing::Array,
            Type::Pointer(_) => Passing::Pointer,
            _ if self.is_in_memory(symbol) => Passing::Reference,
            _ => Passing::Value,
        };
        let is_memory = matches!(passing, Passing::Array | Passing::Pointer);
        if let Some(placed) = placed {
            let is_read_only = placed.memory != Memory::Global;
            if is_read_only && (place.written || place.assigned) {
                let word = placed.memory.word();
                let message = format!("`{}` is in {word} memory and is written", variable.name);
                let problem = Diagnostic::error(codes::ALLOCATION, message, place.span);
                let problem = problem.also(placed.item.span, "placed here");
                self.diagnostics.push(problem.help(
                    "use `global` for what kernels write; parameters that are only read are `const`",
                ));
                return None;
            }
            if let Extent::Section { ranges, element } = &placed.item.extent {
                let (ranges, element) = (ranges.clone(), *element);
                let has_rows = has_whole_rows(self.unit, &ranges);
                let has_window = || visit_windows(list, &mut |window| window.array == symbol);
                if self.is_flat(symbol, ranges.len()) && (!has_rows || has_window()) {
                    return self.promoted(list, symbol, place, &ranges, element, locals);
                }
                if !has_rows {
                    let arrays = (symbol, symbol);
                    return self.section(list, arrays, place, &ranges, element, locals);
                }
            }
        } else if is_memory && variable.is_automatic() && !self.is_parameter(symbol) {
            if self.refused.contains(&symbol) {
                return None;
            }
            let message = format!("`{}` is not on the device", variable.name);
            let problem = Diagnostic::error(codes::NOT_PLACED, message, place.span);
            let name = &variable.name;
            let problem = match passing {
                Passing::Pointer => problem.note(format!(
                    "`#pragma hicuda shape {name}[n]` says how long it is"
                )),
                _ => problem,
            };
            self.diagnostics.push(problem.help(format!(
                "put `#pragma hicuda global alloc {name}[*] copyin` before the kernel, and `copyout` and `free` behind it"
            )));
            return None;
        }
        let written = match passing {
            Passing::Value | Passing::Reference => place.assigned || place.written,
            _ => place.written,
        };
        Some(Capture {
            symbol,
            passing,
            written,
            known: true,
            section_of: None,
        })
    }

    /// Whether a variable is one for all threads: placed here, or a global one that another
    /// function places, which has to be there when the kernel is launched.
    pub(super) fn is_in_memory(&self, symbol: SymbolId) -> bool {
        let is_global = !self.unit.symbol(symbol).is_automatic();
        self.placed(symbol).is_some() || is_global && self.directives.place(symbol)
    }

    fn is_parameter(&self, symbol: SymbolId) -> bool {
        self.function.parameters.contains(&symbol)
    }
}

/// Whether some window of a kernel is such.
fn visit_windows(list: &[Statement], is_such: &mut dyn FnMut(&Window) -> bool) -> bool {
    ir_visit::any(list, &mut |statement| match &statement.kind {
        StatementKind::Windows(region) => region.windows.iter().any(&mut *is_such),
        _ => false,
    })
}
