//! Ghost zones: a block goes several steps on in shared memory, on a tile that overlaps those of
//! its neighbours, and hands on what is right to the end.

use super::Draft;
use super::nest::{Lane, Nest};
use super::own::Slots;
use super::stencil::{Reach, Source};
use crate::model::{
    Dimension, Directive, Expression, Kernel, Policy, Region, Statement, Type, name,
};

/// Overlapping tiles in one dimension.
struct Overlap {
    /// Threads of the block.
    block: i64,
    /// Iterations at either end that another block computes as well.
    halo: i64,
    /// How far a step looks.
    radius: i64,
    /// The halo as the program writes it.
    spelled: Expression,
}

impl Draft {
    /// A kernel over overlapping tiles.
    pub fn ghost(&mut self) -> Kernel {
        let count = self.random.of(&[1, 1, 1, 2, 2, 3]);
        let steps = self.random.between(1, if count == 3 { 1 } else { 3 });
        let radius = self.random.of(&[1, 1, 1, 2]);
        let halo = steps * radius;
        let named = self.random.chance(1, 4);
        let depth = if named {
            self.parameter(&format!("depth{halo}"), &[halo])
        } else {
            halo.into()
        };
        let mut nest = self.overlapping(count, halo, radius, &depth);
        let real = self.random.chance(1, 2);
        let (overlaps, declarations) = nest.1;
        let (form, gangs) = self.form(count, true);
        nest.0.form = form;
        nest.0.gangs = gangs;
        let nest = nest.0;
        let mut dimensions = nest.dimensions.clone();
        let mut body = Vec::new();
        for (number, statements) in declarations.into_iter().enumerate() {
            if nest.tight || number + 1 == count {
                body.extend(statements);
            } else {
                dimensions[number].prologue = statements;
            }
        }
        body.extend(self.ghost_region(&nest, &overlaps, steps, real));
        Kernel {
            form: nest.form,
            dimensions,
            gangs: nest.gangs,
            reductions: Vec::new(),
            body,
        }
    }

    /// The loops over padded sizes, and what each declares: position and lane.
    fn overlapping(
        &mut self,
        count: usize,
        halo: i64,
        radius: i64,
        depth: &Expression,
    ) -> (Nest, (Vec<Overlap>, Vec<Vec<Statement>>)) {
        let mut nest = Nest {
            form: crate::model::Form::Parallel,
            gangs: None,
            dimensions: Vec::new(),
            lanes: Vec::new(),
            tight: self.random.chance(3, 4),
        };
        let (mut overlaps, mut declarations) = (Vec::new(), Vec::new());
        for number in 0..count {
            let wanted: &[i64] = match count {
                1 => &[8, 16, 17, 24, 32, 50, 64, 128],
                2 => &[8, 9, 12, 16],
                _ => &[5, 6, 8],
            };
            let block = self.random.of(wanted).max(2 * halo + 1);
            let size = self.size(number, count, block);
            let inner = block - 2 * halo;
            let tiles = (size + (inner - 1)) / inner;
            let variable = self.fresh(["p", "q", "o"][number]);
            let (position, lane) = (self.fresh("x"), self.fresh("lane"));
            let index = name(&variable);
            let back = self.tile_number(index.clone(), block) * 2 * depth.clone() + depth.clone();
            let kind = self
                .random
                .of(&[Type::Int, Type::Int, Type::Long, Type::Unsigned]);
            let declare = |variable: &str, kind: Type, value: Expression| Statement::Declare {
                name: variable.to_owned(),
                kind,
                constant: true,
                value: Some(value),
            };
            let number_in_block = self.lane_number(index.clone(), block);
            declarations.push(vec![
                declare(&position, kind, index - back),
                declare(&lane, Type::Int, number_in_block),
            ]);
            nest.dimensions.push(Dimension {
                variable,
                kind,
                lower: 0.into(),
                relation: "<",
                bound: tiles * block,
                step: 1,
                block: Some(block),
                prologue: Vec::new(),
            });
            nest.lanes
                .push(Lane::overlapping(position, lane, number, block));
            overlaps.push(Overlap {
                block,
                halo,
                radius,
                spelled: depth.clone(),
            });
        }
        (nest, (overlaps, declarations))
    }

    fn ghost_region(
        &mut self,
        nest: &Nest,
        overlaps: &[Overlap],
        steps: i64,
        real: bool,
    ) -> Vec<Statement> {
        let element = self.element(real);
        let slots = self.ghost_slots(nest, element, real);
        let others = self.ghost_sources(nest, real);
        let inside = in_range(nest);
        let step = self.fresh("step");
        let alive = nest.lanes.iter().zip(overlaps).map(|(lane, overlap)| {
            let lost = (name(&step) + 1) * overlap.radius;
            let number = name(&lane.number);
            number
                .clone()
                .at_least(lost.clone())
                .and(number.below(Expression::Integer(overlap.block) - lost))
        });
        let active = alive.fold(inside.clone(), Expression::and);
        let updates = self.updates(nest, &slots, &others, overlaps[0].radius, real);
        let bound = if steps == overlaps[0].halo && overlaps[0].spelled != steps.into() {
            overlaps[0].spelled.clone()
        } else {
            steps.into()
        };
        let advance = Statement::For {
            condition: name(&step).below(bound),
            name: step,
            from: 0.into(),
            operator: "+=",
            step: 1,
            body: vec![Statement::If {
                condition: active,
                then: updates,
                otherwise: Vec::new(),
            }],
        };
        let result = nest.lanes.iter().zip(overlaps).map(|(lane, overlap)| {
            let number = name(&lane.number);
            let right = Expression::Integer(overlap.block) - overlap.spelled.clone();
            number
                .clone()
                .at_least(overlap.spelled.clone())
                .and(number.below(right))
        });
        let kind = self.scalar(real);
        let output = self.output(nest, kind);
        let value = self.number(slots.own(), element, real);
        let store = Statement::If {
            condition: result.fold(inside, Expression::and),
            then: vec![Statement::Assign {
                place: output,
                operator: "=",
                value,
            }],
            otherwise: Vec::new(),
        };
        let bracketed = self.random.chance(1, 3);
        let mut directives = vec![Directive {
            policy: Policy::FetchChannel,
            items: vec![slots.item(bracketed)],
        }];
        for source in &others {
            let item = self.item(source);
            directives.push(Directive {
                policy: self.random.of(&[Policy::FetchOnly, Policy::FetchChannel]),
                items: vec![item],
            });
        }
        vec![Statement::Region(Region {
            stacked: self.random.chance(1, 2),
            explicit: false,
            directives,
            body: vec![advance, store],
        })]
    }

    fn ghost_slots(&mut self, nest: &Nest, element: Type, _real: bool) -> Slots {
        let source = self.ghost_source(nest, element);
        Slots {
            source,
            lanes: nest.lanes.clone(),
            strides: vec![1; nest.lanes.len()],
            spare: 0,
        }
    }

    fn ghost_source(&mut self, nest: &Nest, element: Type) -> Source {
        let reaches: Vec<Reach> = nest
            .lanes
            .iter()
            .map(|lane| Reach {
                pivot: name(&lane.position),
                before: 0,
                after: 0,
                width: None,
                extent: name(&lane.size),
                guarded: true,
                narrow: false,
                whole: true,
            })
            .collect();
        let extents = reaches.iter().map(|reach| reach.extent.clone()).collect();
        let array = self.array(element, extents, false);
        Source {
            array,
            element,
            reaches,
        }
    }

    fn ghost_sources(&mut self, nest: &Nest, real: bool) -> Vec<Source> {
        (0..self.random.between(0, 1))
            .map(|_| {
                let element = self.element(real);
                self.ghost_source(nest, element)
            })
            .collect()
    }

    /// One step of an element that is in range and has its neighbours.
    fn updates(
        &mut self,
        nest: &Nest,
        slots: &Slots,
        others: &[Source],
        radius: i64,
        real: bool,
    ) -> Vec<Statement> {
        let element = slots.source.element;
        let mut near = slots.source.clone();
        for reach in &mut near.reaches {
            (reach.before, reach.after) = (radius, radius);
        }
        let mut parts = self.reads(&[near.clone()], real);
        parts.extend(self.reads(&[near], real));
        let own = slots.own();
        parts.push(self.number(own.clone(), element, real));
        if !others.is_empty() {
            parts.extend(self.reads(others, real));
        }
        let update = self.change(&own, element, &parts, real);
        if self.random.chance(1, 3) {
            let condition = self.condition(parts.first().cloned(), real, nest);
            let other = self.change(&own, element, &parts[1..2], real);
            let otherwise = if self.random.chance(1, 2) {
                vec![other]
            } else {
                Vec::new()
            };
            return vec![Statement::If {
                condition,
                then: vec![update],
                otherwise,
            }];
        }
        vec![update]
    }
}

/// Whether the iteration's position exists.
fn in_range(nest: &Nest) -> Expression {
    let mut conditions = nest.lanes.iter().map(|lane| {
        name(&lane.position)
            .at_least(0)
            .and(name(&lane.position).below(name(&lane.size)))
    });
    let first = conditions.next().expect("a nest has a loop");
    conditions.fold(first, Expression::and)
}
