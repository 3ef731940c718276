//! Stencils: windows that are only read, by `fcw FETCH_ONLY` or by the `cache` directive.

use super::Draft;
use super::nest::{Lane, Nest};
use crate::model::{Directive, Expression, Item, Policy, Region, Side, Statement, Type, name};

/// What an iteration may read of a dimension of an array.
#[derive(Clone, Debug)]
pub struct Reach {
    pub pivot: Expression,
    pub before: i64,
    pub after: i64,
    /// A parameter that both sides have instead.
    pub width: Option<&'static str>,
    /// Elements in this dimension.
    pub extent: Expression,
    /// Whether elements beside the pivot may not exist.
    pub guarded: bool,
    /// Whether indices go round at 256.
    pub narrow: bool,
    /// Whether the pivot is of type `int`.
    pub whole: bool,
}

impl Reach {
    /// The window of this dimension.
    pub fn side(&self) -> Side {
        let width = |reach: i64| self.width.map_or(Expression::Integer(reach), name);
        Side {
            pivot: self.pivot.clone(),
            before: width(self.before),
            after: width(self.after),
        }
    }
}

/// An array with what an iteration may read of it.
#[derive(Clone, Debug)]
pub struct Source {
    pub array: usize,
    pub element: Type,
    pub reaches: Vec<Reach>,
}

impl Draft {
    /// A stage that reads windows and writes an element of its own.
    pub fn stencil(&mut self, nest: &Nest) -> Vec<Statement> {
        let real = self.random.chance(1, 2);
        let count = self.random.of(&[1, 1, 2, 3]);
        let mut before = Vec::new();
        let sources: Vec<Source> = (0..count)
            .map(|_| {
                let source = self.source(nest, real);
                self.named_pivots(source, &mut before)
            })
            .collect();
        let body = self.stencil_body(nest, &sources, real);
        let directives = self.directives(Policy::FetchOnly, &sources);
        before.push(Statement::Region(Region {
            stacked: self.random.chance(1, 3),
            explicit: false,
            directives,
            body,
        }));
        before
    }

    /// The rest of a loop body under the `cache` directive, with accesses inside and outside of
    /// the windows.
    pub fn cached(&mut self, nest: &Nest) -> Vec<Statement> {
        let real = self.random.chance(1, 2);
        let count = self.random.of(&[1, 2]);
        let sources: Vec<Source> = (0..count).map(|_| self.source(nest, real)).collect();
        let policy = self
            .random
            .of(&[Policy::Cache, Policy::Cache, Policy::CacheReadOnly]);
        let mut directives = self.directives(policy, &sources);
        if self.random.chance(1, 4) {
            // Only the launch knows whether a block has room.
            self.parameter("far", &[0, 3, 100_000]);
            let item = directives
                .first_mut()
                .and_then(|first| first.items.first_mut());
            if let Some(side) = item.and_then(|item| item.window.last_mut()) {
                side.after = side.after.clone() + name("far");
            }
        }
        // What the body reads may lie beyond what the directive names.
        let wider: Vec<Source> = sources
            .iter()
            .cloned()
            .map(|mut source| {
                let is_line = source.reaches.len() == 1;
                for reach in &mut source.reaches {
                    let beyond = self.random.of(&[0, 0, 1, 4]);
                    if beyond > 0 && reach.width.is_none() {
                        reach.before += beyond;
                        reach.after += beyond;
                        reach.guarded = true;
                    }
                    // Others have too few elements.
                    reach.narrow = is_line && self.random.chance(1, 4);
                }
                source
            })
            .collect();
        let mut body = self.stencil_body(nest, &wider, real);
        if policy == Policy::Cache && self.random.chance(1, 2) {
            // An array that is written as well: each iteration has an element of its own.
            let element = self.element(real);
            let slots = self.slots(nest, element, true, false);
            for _ in 0..self.random.between(1, 3) {
                let parts = [
                    self.input(nest, &wider, real),
                    self.number(slots.own(), element, real),
                ];
                body.push(self.change(&slots.own(), element, &parts, real));
            }
            directives.push(Directive {
                policy,
                items: vec![slots.item(false)],
            });
        }
        vec![Statement::Region(Region {
            directives,
            explicit: false,
            stacked: true,
            body,
        })]
    }

    fn directives(&mut self, policy: Policy, sources: &[Source]) -> Vec<Directive> {
        let items: Vec<Item> = sources.iter().map(|source| self.item(source)).collect();
        if self.random.chance(1, 2) {
            return vec![Directive { policy, items }];
        }
        items
            .into_iter()
            .map(|item| Directive {
                policy,
                items: vec![item],
            })
            .collect()
    }

    /// The directive's item for a source.
    pub fn item(&mut self, source: &Source) -> Item {
        Item {
            array: source.array,
            window: source.reaches.iter().map(Reach::side).collect(),
            bracketed: self.random.chance(1, 3),
        }
    }

    /// An array with a window for the iterations of the nest.
    pub fn source(&mut self, nest: &Nest, real: bool) -> Source {
        let element = self.element(real);
        let mut lanes: Vec<Lane> = nest.lanes.clone();
        if lanes.len() > 1 && self.random.chance(1, 3) {
            lanes.reverse();
        }
        if lanes.len() > 1 && self.random.chance(1, 4) {
            lanes.remove(0);
        }
        let mut reaches: Vec<Reach> = Vec::new();
        for lane in &lanes {
            let reach = self.reach(lane, nest.lanes.len());
            reaches.push(reach);
        }
        if reaches.len() < 3 && self.random.chance(1, 8) {
            let fixed = self.fixed_reach();
            reaches.insert(0, fixed);
        }
        let extents = reaches.iter().map(|reach| reach.extent.clone()).collect();
        let array = self.array(element, extents, false);
        Source {
            array,
            element,
            reaches,
        }
    }

    /// The reach along a loop.
    fn reach(&mut self, lane: &Lane, dimensions: usize) -> Reach {
        let wide = dimensions == 1 && self.random.chance(1, 6);
        let most = if wide { 40 } else { [3, 2, 1][dimensions - 1] };
        let (before, after) = (self.random.between(0, most), self.random.between(0, most));
        let position = name(&lane.position);
        let size = name(&lane.size);
        let mut reach = Reach {
            pivot: position.clone(),
            before,
            after,
            width: None,
            extent: size.clone(),
            guarded: self.random.chance(1, 2),
            narrow: false,
            whole: lane.whole,
        };
        let shift = self.random.between(0, 2);
        let lead = if reach.guarded { shift } else { shift + before };
        let trail = if reach.guarded { 0 } else { after };
        match self.random.between(1, if lane.aligned { 12 } else { 9 }) {
            1..=5 => {
                reach.pivot = position + lead;
                reach.extent = size + (lead + trail);
            }
            6 => {
                reach.pivot = position * 2 + lead;
                reach.extent = size * 2 + (lead + trail);
            }
            7 => {
                reach.pivot = size.clone() - position + lead;
                reach.extent = size + (lead + trail + 1);
            }
            8 => {
                self.parameter("width", &[0, 1, 2, 3]);
                (reach.before, reach.after) = (0, 0);
                reach.width = Some("width");
                reach.guarded = false;
                reach.pivot = position + name("width");
                reach.extent = size + Expression::from("width") * 2;
            }
            9 => {
                let fixed = self.fixed_reach();
                return fixed;
            }
            10 => {
                reach.pivot = position.clone() - position % lane.block;
                (reach.before, reach.after) = (0, lane.block - 1);
                reach.guarded = false;
                reach.extent = size + lane.block;
            }
            11 => {
                reach.pivot = self.tile_number(position, lane.block) + lead;
                reach.extent = size / lane.block + (1 + lead + trail);
            }
            _ => {
                reach.pivot = self.lane_number(position, lane.block) + lead;
                reach.extent = Expression::Integer(lane.block + lead + trail);
            }
        }
        reach
    }

    /// `i / B`, as a division or a shift.
    pub fn tile_number(&mut self, position: Expression, block: i64) -> Expression {
        if block & (block - 1) == 0 && block > 1 && self.random.chance(1, 2) {
            return Expression::binary(">>", position, i64::from(block.trailing_zeros()));
        }
        position / block
    }

    /// `i % B`, as a remainder or a mask.
    pub fn lane_number(&mut self, position: Expression, block: i64) -> Expression {
        if block & (block - 1) == 0 && self.random.chance(1, 2) {
            return Expression::binary("&", position, block - 1);
        }
        position % block
    }

    /// A reach that all iterations share.
    fn fixed_reach(&mut self) -> Reach {
        let (before, after) = (self.random.between(0, 2), self.random.between(0, 2));
        let pivot = before + self.random.between(0, 2);
        Reach {
            pivot: pivot.into(),
            before,
            after,
            width: None,
            extent: (pivot + after + 1).into(),
            guarded: false,
            narrow: false,
            whole: true,
        }
    }

    /// Declares constants for some of the pivots, as programs do.
    fn named_pivots(&mut self, mut source: Source, before: &mut Vec<Statement>) -> Source {
        for reach in &mut source.reaches {
            let sum = matches!(reach.pivot, Expression::Binary(..));
            if sum && reach.whole && self.random.chance(1, 5) {
                let pivot = self.fresh("at");
                before.push(Statement::Declare {
                    name: pivot.clone(),
                    kind: Type::Int,
                    constant: true,
                    value: Some(reach.pivot.clone()),
                });
                reach.pivot = name(&pivot);
            }
        }
        source
    }

    // Bodies

    fn stencil_body(&mut self, nest: &Nest, sources: &[Source], real: bool) -> Vec<Statement> {
        let kind = self.scalar(real);
        let output = self.output(nest, kind);
        let sum = self.fresh("sum");
        let first = self.reads(sources, real);
        let mut body = vec![Statement::Declare {
            name: sum.clone(),
            kind: self.scalar(real),
            constant: false,
            value: Some(self.combine(&first, real)),
        }];
        for _ in 0..self.random.between(0, 2) {
            let statement = self.accumulation(nest, sources, &sum, real);
            body.push(statement);
        }
        let operator = self.random.of(&["=", "=", "+=", "-="]);
        body.push(Statement::Assign {
            place: output,
            operator,
            value: name(&sum),
        });
        if body.len() == 2 && self.random.chance(1, 2) {
            // As short as stencils are written.
            let place = match body.pop() {
                Some(Statement::Assign { place, .. }) => place,
                _ => unreachable!("the assignment that was pushed"),
            };
            let value = self.combine(&first, real);
            return vec![Statement::Assign {
                place,
                operator,
                value,
            }];
        }
        body
    }

    /// A statement that adds to the sum.
    fn accumulation(
        &mut self,
        nest: &Nest,
        sources: &[Source],
        sum: &str,
        real: bool,
    ) -> Statement {
        let more = self.reads(sources, real);
        let add = Statement::Assign {
            place: name(sum),
            operator: self.random.of(&["+=", "-=", "="]),
            value: self.combine(&more, real),
        };
        match self.random.between(1, 4) {
            1 => {
                let other = self.reads(sources, real);
                let otherwise = Statement::Assign {
                    place: name(sum),
                    operator: "+=",
                    value: self.combine(&other, real),
                };
                let keep = self.random.chance(1, 2);
                Statement::If {
                    condition: self.condition(more.first().cloned(), real, nest),
                    then: vec![add],
                    otherwise: if keep { vec![otherwise] } else { Vec::new() },
                }
            }
            2 => {
                let trips = self.fresh("s");
                let lane = self.random.pick(&nest.lanes).clone();
                Statement::For {
                    condition: name(&trips).below(name(&lane.position) % 4),
                    name: trips,
                    from: 0.into(),
                    operator: "+=",
                    step: 1,
                    body: vec![add],
                }
            }
            _ => self.sweep(sources, sum, real),
        }
    }

    /// A loop along one dimension of a window.
    fn sweep(&mut self, sources: &[Source], sum: &str, real: bool) -> Statement {
        let source = self.random.pick(sources).clone();
        let along = self.random.between(0, source.reaches.len() as i64 - 1) as usize;
        let offset = self.fresh("s");
        let reach = &source.reaches[along];
        let (low, high) = match reach.width {
            Some(width) => (Expression::Integer(0) - name(width), name(width)),
            None => ((-reach.before).into(), reach.after.into()),
        };
        let offsets = (0..source.reaches.len())
            .map(|d| if d == along { name(&offset) } else { 0.into() })
            .collect();
        let read = self.read(&source, offsets, real);
        let value = self.combine(&[read], real);
        Statement::For {
            condition: Expression::binary("<=", name(&offset), high),
            name: offset,
            from: low,
            operator: "+=",
            step: 1,
            body: vec![Statement::Assign {
                place: name(sum),
                operator: "+=",
                value,
            }],
        }
    }

    /// A few elements of the sources.
    pub fn reads(&mut self, sources: &[Source], real: bool) -> Vec<Expression> {
        let count = self.random.between(1, 3);
        (0..count)
            .map(|_| {
                let source = self.random.pick(sources).clone();
                let offsets = source
                    .reaches
                    .iter()
                    .map(|reach| {
                        let far = self.random.between(-reach.before, reach.after);
                        Expression::Integer(far)
                    })
                    .collect();
                self.read(&source, offsets, real)
            })
            .collect()
    }

    /// An element at a distance from the pivot, guarded where it may not exist.
    pub fn read(&mut self, source: &Source, offsets: Vec<Expression>, real: bool) -> Expression {
        let own = |reach: &Reach| reach.pivot.clone();
        let mut guard: Option<Expression> = None;
        let mut indices = Vec::new();
        for (reach, offset) in source.reaches.iter().zip(offsets) {
            let beside = offset != Expression::Integer(0);
            let index = match reach.narrow {
                true => Expression::Cast(Type::Byte, Box::new(own(reach) + offset)),
                false => own(reach) + offset,
            };
            let extent = reach.extent.clone();
            if reach.narrow || reach.guarded && beside {
                let inside = index.clone().at_least(0).and(index.clone().below(extent));
                guard = Some(match guard {
                    Some(guard) => guard.and(inside),
                    None => inside,
                });
            }
            indices.push(index);
        }
        let place = Expression::element(source.array, indices);
        let value = self.number(place, source.element, real);
        match guard {
            None => value,
            Some(guard) => {
                let zero = if real {
                    Expression::Real(1.5)
                } else {
                    Expression::Integer(-3)
                };
                let other = if self.random.chance(1, 2) {
                    zero
                } else {
                    let pivot = source.reaches.iter().map(own).collect();
                    let place = Expression::element(source.array, pivot);
                    self.number(place, source.element, real)
                };
                Expression::choose(guard, value, other)
            }
        }
    }
}
