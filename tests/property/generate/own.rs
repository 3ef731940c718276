//! Slots that an iteration writes for itself, and how arrays of such slots are laid out.

use super::Draft;
use super::nest::{Lane, Nest};
use super::stencil::{Reach, Source};
use super::value::select_member;
use crate::model::{Directive, Expression, Item, Policy, Region, Side, Statement, Type, name};

/// An array in which every iteration of the nest has a slot.
#[derive(Clone, Debug)]
pub struct Slots {
    pub source: Source,
    /// The loops in the order of the array's dimensions.
    pub lanes: Vec<Lane>,
    /// How far the slots of neighbouring threads are apart, in each dimension.
    pub strides: Vec<i64>,
    /// Slots beside the own one, in the last dimension, that belong to the iteration.
    pub spare: i64,
}

impl Slots {
    /// The iteration's slot.
    pub fn own(&self) -> Expression {
        let pivots = self.source.reaches.iter().map(|reach| reach.pivot.clone());
        Expression::element(self.source.array, pivots.collect())
    }

    /// The slot of the thread that is `distance` threads on in a dimension, counted round the
    /// block's iterations that are in range.
    pub fn around(&self, along: usize, distance: i64) -> Expression {
        let lane = &self.lanes[along];
        let (number, count) = (name(&lane.number), name(&lane.count));
        let other = (number.clone() + distance) % count;
        self.moved(along, (other - number) * self.strides[along])
    }

    /// The slot that lies at that distance in a dimension.
    pub fn moved(&self, along: usize, distance: Expression) -> Expression {
        let indices = self
            .source
            .reaches
            .iter()
            .enumerate()
            .map(|(d, reach)| {
                let pivot = reach.pivot.clone();
                if d == along {
                    pivot + distance.clone()
                } else {
                    pivot
                }
            })
            .collect();
        Expression::element(self.source.array, indices)
    }

    /// The directive's item.
    pub fn item(&self, bracketed: bool) -> Item {
        let mut window: Vec<Side> = self.source.reaches.iter().map(Reach::side).collect();
        if let Some(last) = window.last_mut() {
            last.after = last.after.clone() + self.spare;
            if let (Expression::Integer(0), true) = (&last.before, self.spare > 0) {
                last.after = self.spare.into();
            }
        }
        Item {
            array: self.source.array,
            window,
            bracketed,
        }
    }
}

impl Draft {
    /// An array with a slot for each iteration. With a halo there are elements beside those of the
    /// block in its windows.
    pub fn slots(&mut self, nest: &Nest, element: Type, written: bool, halo: bool) -> Slots {
        let mut lanes = nest.lanes.clone();
        if lanes.len() > 1 && self.random.chance(1, 4) {
            lanes.reverse();
        }
        let most = if halo { [9, 2, 1][lanes.len() - 1] } else { 0 };
        let mut strides = Vec::new();
        let mut reaches = Vec::new();
        for lane in &lanes {
            let (before, after) = (self.random.between(0, most), self.random.between(0, most));
            let guarded = self.random.chance(1, 2);
            let shift = self.random.of(&[0, 0, 0, 1, 4]);
            let lead = if guarded { shift } else { shift + before };
            let trail = if guarded { 0 } else { after };
            let (position, size) = (name(&lane.position), name(&lane.size));
            let mirrored = self.random.chance(1, 8);
            strides.push(if mirrored { -lane.step } else { lane.step });
            reaches.push(Reach {
                pivot: if mirrored {
                    size.clone() - position + lead
                } else {
                    position + lead
                },
                before,
                after,
                width: None,
                extent: size + (lead + trail + i64::from(mirrored)),
                guarded,
                narrow: false,
                whole: lane.whole,
            });
        }
        let extents = reaches.iter().map(|reach| reach.extent.clone()).collect();
        let array = self.array(element, extents, written);
        Slots {
            source: Source {
                array,
                element,
                reaches,
            },
            lanes,
            strides,
            spare: 0,
        }
    }

    /// Gives each iteration two slots in the last dimension.
    fn doubled(&mut self, mut slots: Slots) -> Slots {
        let last = slots.source.reaches.len() - 1;
        let lane = slots.lanes[last].clone();
        let reach = &mut slots.source.reaches[last];
        reach.pivot = name(&lane.position) * 2;
        reach.extent = name(&lane.size) * 2;
        slots.strides[last] = 2 * lane.step;
        slots.spare = 1;
        self.arrays[slots.source.array].extents[last] = reach.extent.clone();
        slots
    }

    /// A stage in which an iteration writes slots of its own, some under conditions, that go back
    /// to the array.
    pub fn own(&mut self, nest: &Nest) -> Vec<Statement> {
        let real = self.random.chance(1, 2);
        let policy = self
            .random
            .of(&[Policy::FetchWriteBack, Policy::WriteBackOnly]);
        let element = self.element(real);
        let mut slots = self.slots(nest, element, true, false);
        if self.random.chance(1, 4) {
            slots = self.doubled(slots);
        }
        let sources: Vec<Source> = if self.random.chance(1, 2) {
            vec![self.source(nest, real)]
        } else {
            Vec::new()
        };
        let mut body = Vec::new();
        let count = self.random.between(1, 3);
        for _ in 0..count {
            let statements = self.own_writes(nest, &slots, policy, &sources, real);
            if self.random.chance(1, 2) {
                let part = self
                    .random
                    .chance(1, 2)
                    .then(|| self.input(nest, &sources, real));
                let condition = self.condition(part, real, nest);
                let alternative = self.random.chance(1, 3);
                let otherwise = if alternative {
                    self.own_writes(nest, &slots, policy, &sources, real)
                } else {
                    Vec::new()
                };
                body.push(Statement::If {
                    condition,
                    then: statements,
                    otherwise,
                });
            } else {
                body.extend(statements);
            }
        }
        let bracketed = self.random.chance(1, 3);
        let mut directives = vec![Directive {
            policy,
            items: vec![slots.item(bracketed)],
        }];
        for source in &sources {
            // Without a window it is read from memory, in the same region.
            if self.random.chance(2, 3) {
                let item = self.item(source);
                directives.push(Directive {
                    policy: Policy::FetchOnly,
                    items: vec![item],
                });
            }
        }
        vec![Statement::Region(Region {
            stacked: self.random.chance(1, 2),
            explicit: false,
            directives,
            body,
        })]
    }

    /// A number from the sources, or from where the iteration stands.
    pub fn input(&mut self, nest: &Nest, sources: &[Source], real: bool) -> Expression {
        if sources.is_empty() || self.random.chance(1, 5) {
            let lane = self.random.pick(&nest.lanes).clone();
            return name(&lane.position) + self.random.between(1, 20);
        }
        let mut reads = self.reads(sources, real);
        reads.swap_remove(0)
    }

    /// Writes of the own slots; the first one gives them a value where nothing else did.
    fn own_writes(
        &mut self,
        nest: &Nest,
        slots: &Slots,
        policy: Policy,
        sources: &[Source],
        real: bool,
    ) -> Vec<Statement> {
        let mut statements = Vec::new();
        let spare = self.random.between(0, slots.spare);
        let last = slots.source.reaches.len() - 1;
        let place = slots.moved(last, spare.into());
        if !policy.fetches() {
            let value = self.input(nest, sources, real);
            statements.extend(self.filled(&place, slots.source.element, value));
        }
        for _ in 0..self.random.between(1, 2) {
            let mut parts = vec![self.input(nest, sources, real)];
            if self.random.chance(1, 2) {
                parts.push(self.number(place.clone(), slots.source.element, real));
            }
            statements.push(self.change(&place, slots.source.element, &parts, real));
        }
        statements
    }

    /// Gives a slot a value, all members of it.
    pub fn filled(
        &mut self,
        place: &Expression,
        element: Type,
        value: Expression,
    ) -> Vec<Statement> {
        let members = element.members();
        let assign = |place: Expression, value: Expression| Statement::Assign {
            place,
            operator: "=",
            value,
        };
        if members.is_empty() {
            return vec![assign(place.clone(), value)];
        }
        let as_member = |kind: Type, value: &Expression| {
            if kind.is_real() {
                value.clone()
            } else {
                // A number beyond the type's range has no value as a whole one.
                Expression::Cast(Type::Int, Box::new(value.clone()))
            }
        };
        if self.random.chance(1, 2) {
            let whole = self.fresh("whole");
            let mut statements = vec![Statement::Declare {
                name: whole.clone(),
                kind: element,
                constant: false,
                value: None,
            }];
            for (member, kind) in members {
                let place = Expression::Member(whole.clone(), member);
                statements.push(assign(place, as_member(*kind, &value)));
            }
            statements.push(assign(place.clone(), name(&whole)));
            return statements;
        }
        members
            .iter()
            .map(|(member, kind)| {
                let place = select_member(place.clone(), member);
                assign(place, as_member(*kind, &value))
            })
            .collect()
    }

    /// Changes a slot, or a member of it, that has a value.
    pub fn change(
        &mut self,
        place: &Expression,
        element: Type,
        parts: &[Expression],
        real: bool,
    ) -> Statement {
        let members: Vec<(&'static str, Type)> = element
            .members()
            .iter()
            .filter(|(_, kind)| kind.is_real() == real)
            .copied()
            .collect();
        let place = if members.is_empty() {
            place.clone()
        } else {
            let (member, _) = self.random.of(&members);
            select_member(place.clone(), member)
        };
        let whole = !real;
        if whole && self.random.chance(1, 6) {
            return Statement::Step {
                place,
                operator: self.random.of(&["++", "--"]),
            };
        }
        let operators: &[&'static str] = if whole {
            &["=", "=", "=", "+=", "-=", "^=", "|=", "&=", "*="]
        } else {
            &["=", "=", "=", "+=", "-="]
        };
        Statement::Assign {
            place,
            operator: self.random.of(operators),
            value: self.combine(parts, real),
        }
    }
}
