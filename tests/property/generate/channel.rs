//! Channels: iterations of a block read what others of it have written.

use super::Draft;
use super::nest::Nest;
use super::own::Slots;
use super::stencil::Source;
use crate::model::{Directive, Expression, Policy, Region, Statement, Type, name};

/// The types of windows through which iterations communicate.
const CHANNELS: &[Policy] = &[
    Policy::ChannelOnly,
    Policy::FetchChannel,
    Policy::FetchChannel,
    Policy::ChannelWriteBack,
    Policy::FetchChannelWriteBack,
];

/// A region in the making.
struct Channel<'n> {
    nest: &'n Nest,
    policy: Policy,
    real: bool,
    slots: Slots,
    /// Arrays that are only read.
    sources: Vec<Source>,
    /// What is read of these in several places.
    inputs: Vec<Expression>,
    /// What several branches ask.
    condition: Expression,
    /// A private variable of the region.
    scratch: String,
    /// Whether statements stand in a sequential loop.
    looping: bool,
    /// Whether an iteration may end within the region.
    may_leave: bool,
}

impl Draft {
    /// A stage of statements that read and write the slots of the block, under conditions and in
    /// loops that are not the same for all threads.
    pub fn channel(&mut self, nest: &Nest, last: bool) -> Vec<Statement> {
        let mut channel = self.opened(nest);
        channel.may_leave = last && self.random.chance(1, 6);
        let mut body = self.beginning(&mut channel, false);
        for _ in 0..self.random.between(1, 4) {
            let statements = self.channel_statements(&mut channel, 3);
            body.extend(statements);
        }
        body.extend(self.ending(&channel));
        self.closed(channel, body, false)
    }

    /// A stage that places its barriers itself.
    pub fn explicit(&mut self, nest: &Nest) -> Vec<Statement> {
        let mut channel = self.opened(nest);
        let mut body = vec![Statement::Barrier];
        body.extend(self.beginning(&mut channel, true));
        let mut exchanges = Vec::new();
        for _ in 0..self.random.between(1, 3) {
            let exchange = self.exchange(&channel);
            let wrapped = self.wrapped(&channel, exchange);
            exchanges.extend(wrapped);
        }
        if self.random.chance(1, 2) {
            body.push(self.counted(exchanges));
        } else {
            body.extend(exchanges);
        }
        body.extend(self.ending(&channel));
        body.push(Statement::Barrier);
        self.closed(channel, body, true)
    }

    /// A reduction of the block by a tree, or a scan.
    pub fn tree(&mut self, nest: &Nest) -> Vec<Statement> {
        let mut channel = self.opened(nest);
        let mut body = self.beginning(&mut channel, false);
        let along = channel.slots.lanes.len() - 1;
        let lane = channel.slots.lanes[along].clone();
        let stride = self.fresh("y");
        let distance = channel.slots.strides[along];
        let half = half_of_power(lane.block);
        let scan = self.random.chance(1, 2);
        let (number, count) = (name(&lane.number), name(&lane.count));
        let (condition, shift) = if scan {
            (number.at_least(name(&stride)), -distance)
        } else {
            let partner = number.clone() + name(&stride);
            (
                number.below(name(&stride)).and(partner.below(count)),
                distance,
            )
        };
        let other = channel.slots.moved(along, name(&stride) * shift);
        let element = channel.slots.source.element;
        let other = self.number(other, element, channel.real);
        let own = channel.slots.own();
        let step = match self.random.between(1, 3) {
            1 => self.change(&own, element, &[other], channel.real),
            _ => {
                let mine = self.number(own.clone(), element, channel.real);
                self.change(&own, element, &[mine, other], channel.real)
            }
        };
        let (from, condition_of_loop, operator, factor) = if scan {
            (1, name(&stride).below(lane.block), "*=", 2)
        } else {
            (half, Expression::binary(">", name(&stride), 0), "/=", 2)
        };
        body.push(Statement::For {
            name: stride,
            from: from.into(),
            condition: condition_of_loop,
            operator,
            step: factor,
            body: vec![Statement::If {
                condition,
                then: vec![step],
                otherwise: Vec::new(),
            }],
        });
        body.extend(self.ending(&channel));
        self.closed(channel, body, false)
    }

    // The frame of a region

    fn opened<'n>(&mut self, nest: &'n Nest) -> Channel<'n> {
        let real = self.random.chance(1, 2);
        let policy = self.random.of(CHANNELS);
        let element = self.element(real);
        // Windows that go back must not overlap those of other blocks.
        let halo = policy == Policy::FetchChannel;
        let slots = self.slots(nest, element, policy.writes_back(), halo);
        self.arrays[slots.source.array].dummy = policy == Policy::ChannelOnly;
        let sources: Vec<Source> = (0..self.random.between(0, 2))
            .map(|_| self.source(nest, real))
            .collect();
        let inputs = (0..2).map(|_| self.input(nest, &sources, real)).collect();
        Channel {
            inputs,
            condition: self.condition(None, real, nest),
            nest,
            policy,
            real,
            slots,
            sources,
            scratch: self.fresh("r"),
            looping: false,
            may_leave: false,
        }
    }

    /// Declares the private variable and, where nothing is fetched, fills the slots.
    fn beginning(&mut self, channel: &mut Channel<'_>, explicit: bool) -> Vec<Statement> {
        let value = self.input(channel.nest, &channel.sources, channel.real);
        let mut body = vec![Statement::Declare {
            name: channel.scratch.clone(),
            kind: self.scalar(channel.real),
            constant: false,
            value: Some(value),
        }];
        if !channel.policy.fetches() {
            let value = self.input(channel.nest, &channel.sources, channel.real);
            let own = channel.slots.own();
            body.extend(self.filled(&own, channel.slots.source.element, value));
            if explicit {
                body.push(Statement::Barrier);
            }
        }
        body
    }

    /// Results that leave the region.
    fn ending(&mut self, channel: &Channel<'_>) -> Vec<Statement> {
        if channel.policy.writes_back() && self.random.chance(2, 3) {
            return Vec::new();
        }
        let kind = self.scalar(channel.real);
        let output = self.output(channel.nest, kind);
        let parts = self.parts(channel);
        let mut value = self.combine(&parts, channel.real);
        if self.random.chance(1, 2) {
            value = value + name(&channel.scratch);
        }
        vec![Statement::Assign {
            place: output,
            operator: "=",
            value,
        }]
    }

    fn closed(
        &mut self,
        channel: Channel<'_>,
        body: Vec<Statement>,
        explicit: bool,
    ) -> Vec<Statement> {
        let bracketed = self.random.chance(1, 3);
        let mut directives = vec![Directive {
            policy: channel.policy,
            items: vec![channel.slots.item(bracketed)],
        }];
        for source in &channel.sources {
            let policy =
                self.random
                    .of(&[Policy::FetchOnly, Policy::FetchOnly, Policy::FetchChannel]);
            if self.random.chance(1, 3) {
                continue;
            }
            let item = self.item(source);
            match directives
                .iter_mut()
                .find(|directive| directive.policy == policy)
            {
                Some(directive) => directive.items.push(item),
                None => directives.push(Directive {
                    policy,
                    items: vec![item],
                }),
            }
        }
        vec![Statement::Region(Region {
            stacked: self.random.chance(1, 2),
            explicit,
            directives,
            body,
        })]
    }

    // Statements

    fn channel_statements(&mut self, channel: &mut Channel<'_>, depth: u32) -> Vec<Statement> {
        match self.random.between(1, if depth == 0 { 6 } else { 12 }) {
            1..=3 => vec![self.own_change(channel)],
            4 => vec![self.scattered(channel)],
            5 => vec![self.private_change(channel)],
            6 if self.random.chance(1, 3) => vec![Statement::Barrier, self.own_change(channel)],
            6 => vec![self.own_change(channel)],
            7 | 8 => vec![self.branch(channel, depth)],
            9 => {
                let body = self.looped(channel, depth);
                vec![self.counted(body)]
            }
            10 => self.while_loop(channel, depth),
            11 => vec![self.lane_loop(channel, depth)],
            _ if channel.may_leave && !channel.looping => {
                let condition = self.channel_condition(channel);
                vec![Statement::If {
                    condition,
                    then: vec![Statement::Leave],
                    otherwise: Vec::new(),
                }]
            }
            _ => vec![self.branch(channel, depth)],
        }
    }

    /// A few numbers: own slots, those of others, and what sources hold.
    fn parts(&mut self, channel: &Channel<'_>) -> Vec<Expression> {
        (0..self.random.between(1, 3))
            .map(|_| match self.random.between(1, 6) {
                1 if !channel.sources.is_empty() && self.random.chance(1, 2) => {
                    self.random.pick(&channel.inputs).clone()
                }
                1 if !channel.sources.is_empty() => {
                    self.input(channel.nest, &channel.sources, channel.real)
                }
                2 => {
                    let own = channel.slots.own();
                    self.number(own, channel.slots.source.element, channel.real)
                }
                3 if channel.policy == Policy::FetchChannel => {
                    let source = channel.slots.source.clone();
                    let mut reads = self.reads(&[source], channel.real);
                    reads.swap_remove(0)
                }
                _ => {
                    let other = self.other_slot(channel);
                    self.number(other, channel.slots.source.element, channel.real)
                }
            })
            .collect()
    }

    /// The slot of another thread.
    fn other_slot(&mut self, channel: &Channel<'_>) -> Expression {
        let dimensions = i64::try_from(channel.slots.lanes.len()).expect("at most three");
        let along = usize::try_from(self.random.between(0, dimensions - 1)).expect("from 0");
        channel.slots.around(along, self.random.between(1, 5))
    }

    fn own_change(&mut self, channel: &Channel<'_>) -> Statement {
        let parts = self.parts(channel);
        let own = channel.slots.own();
        self.change(&own, channel.slots.source.element, &parts, channel.real)
    }

    /// A write to the slot of another thread; no two write to the same one.
    fn scattered(&mut self, channel: &Channel<'_>) -> Statement {
        let parts = self.parts(channel);
        let other = self.other_slot(channel);
        self.change(&other, channel.slots.source.element, &parts, channel.real)
    }

    fn private_change(&mut self, channel: &Channel<'_>) -> Statement {
        let parts = self.parts(channel);
        Statement::Assign {
            place: name(&channel.scratch),
            operator: self.random.of(&["=", "+=", "-="]),
            value: self.combine(&parts, channel.real),
        }
    }

    fn channel_condition(&mut self, channel: &Channel<'_>) -> Expression {
        let mut parts = self.parts(channel);
        let part = self.random.chance(2, 3).then(|| parts.swap_remove(0));
        let condition = self.condition(part, channel.real, channel.nest);
        match self.random.between(1, 4) {
            1 => channel.condition.clone(),
            2 => channel.condition.clone().and(condition),
            _ => condition,
        }
    }

    fn branch(&mut self, channel: &mut Channel<'_>, depth: u32) -> Statement {
        let condition = self.channel_condition(channel);
        let mut then = self.channel_statements(channel, depth - 1);
        if self.random.chance(1, 3) {
            then.extend(self.channel_statements(channel, depth - 1));
        }
        let otherwise = if self.random.chance(1, 2) {
            self.channel_statements(channel, depth - 1)
        } else {
            Vec::new()
        };
        Statement::If {
            condition,
            then,
            otherwise,
        }
    }

    /// The body of a loop, which may be left or resumed early.
    fn looped(&mut self, channel: &mut Channel<'_>, depth: u32) -> Vec<Statement> {
        let outside = std::mem::replace(&mut channel.looping, true);
        let mut body = self.channel_statements(channel, depth - 1);
        if self.random.chance(1, 3) {
            let condition = self.channel_condition(channel);
            let jump = self.random.of(&[true, true, false]);
            body.push(Statement::If {
                condition,
                then: vec![if jump {
                    Statement::Break
                } else {
                    Statement::Continue
                }],
                otherwise: Vec::new(),
            });
            body.extend(self.channel_statements(channel, depth - 1));
        }
        channel.looping = outside;
        body
    }

    /// A loop with the same number of rounds for all.
    fn counted(&mut self, body: Vec<Statement>) -> Statement {
        let round = self.fresh("s");
        let bound = if self.random.chance(1, 3) {
            self.parameter("steps", &[1, 2, 3])
        } else {
            self.random.between(1, 3).into()
        };
        Statement::For {
            condition: name(&round).below(bound),
            name: round,
            from: 0.into(),
            operator: "+=",
            step: 1,
            body,
        }
    }

    /// A loop of which each thread has its own number of rounds, found in its data.
    fn while_loop(&mut self, channel: &mut Channel<'_>, depth: u32) -> Vec<Statement> {
        let trips = self.fresh("trips");
        let lane = self.random.pick(&channel.nest.lanes).clone();
        let mut value = Expression::binary("&", name(&lane.number), 3);
        if !channel.real {
            let parts = self.parts(channel);
            value = Expression::binary("&", parts[0].clone(), 3);
        }
        let declaration = Statement::Declare {
            name: trips.clone(),
            kind: Type::Int,
            constant: false,
            value: Some(value),
        };
        let mut body = vec![Statement::Step {
            place: name(&trips),
            operator: "--",
        }];
        body.extend(self.looped(channel, depth));
        let condition = Expression::binary(">", name(&trips), 0);
        let repeated = if self.random.chance(1, 4) {
            Statement::DoWhile { body, condition }
        } else {
            Statement::While { condition, body }
        };
        vec![declaration, repeated]
    }

    /// A loop of which a thread's place decides the number of rounds.
    fn lane_loop(&mut self, channel: &mut Channel<'_>, depth: u32) -> Statement {
        let round = self.fresh("s");
        let lane = self.random.pick(&channel.nest.lanes).clone();
        let body = self.looped(channel, depth);
        Statement::For {
            condition: name(&round).below(name(&lane.number) % self.random.between(2, 4)),
            name: round,
            from: 0.into(),
            operator: "+=",
            step: 1,
            body,
        }
    }

    // Explicit barriers

    /// All read, barrier, all write, barrier.
    fn exchange(&mut self, channel: &Channel<'_>) -> Vec<Statement> {
        let parts = self.parts(channel);
        let fresh = self.fresh("t");
        let declared = Statement::Declare {
            name: fresh.clone(),
            kind: self.scalar(channel.real),
            constant: false,
            value: Some(self.combine(&parts, channel.real)),
        };
        let own = channel.slots.own();
        let place = if self.random.chance(1, 4) {
            self.other_slot(channel)
        } else {
            own
        };
        let write = self.change(
            &place,
            channel.slots.source.element,
            &[name(&fresh)],
            channel.real,
        );
        vec![declared, Statement::Barrier, write, Statement::Barrier]
    }

    /// Perhaps under a condition that is not the same for all threads.
    fn wrapped(&mut self, channel: &Channel<'_>, exchange: Vec<Statement>) -> Vec<Statement> {
        if !self.random.chance(1, 3) {
            return exchange;
        }
        let lane = self.random.pick(&channel.nest.lanes).clone();
        let rest = name(&lane.number) % self.random.between(2, 3);
        let otherwise = if self.random.chance(1, 2) {
            self.exchange(channel)
        } else {
            Vec::new()
        };
        vec![Statement::If {
            condition: Expression::binary("==", rest, 0),
            then: exchange,
            otherwise,
        }]
    }
}

/// Half of the power of two that is not below the number.
fn half_of_power(number: i64) -> i64 {
    let whole = u64::try_from(number).unwrap_or(1).next_power_of_two();
    i64::try_from(whole / 2).unwrap_or(0)
}
