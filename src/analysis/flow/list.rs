//! What comes one after the other, asked about many variables.
//!
//! Most statements of a long list have nothing to do with a variable, and do nothing to the paths
//! through them either. Those that do are looked up: a question costs as much as they do.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::order::{Entrance, Order};
use super::{Flow, order};
use crate::typed::{SymbolId, Unit, visit};

/// Of so many orders on, a list is worth an index.
const LONG: usize = 16;

/// Names no variable of any unit.
const NONE: SymbolId = SymbolId(u32::MAX);

/// Orders one after the other.
#[derive(Debug, Default)]
pub struct List<'a> {
    orders: Vec<Order<'a>>,
    index: OnceCell<Index>,
}

/// Which orders matter, by their places in the list.
#[derive(Debug, Default)]
struct Index {
    /// Those that name a variable.
    of: HashMap<SymbolId, Vec<usize>>,
    /// Those that end paths, or read everything.
    always: Vec<usize>,
    /// Those with an entrance.
    cases: Vec<usize>,
    here: Vec<usize>,
}

impl<'a> List<'a> {
    pub(super) fn new(orders: Vec<Order<'a>>) -> Self {
        Self {
            orders,
            index: OnceCell::new(),
        }
    }

    /// What those from a place on do with a variable, behind code that has done `first`.
    pub(super) fn flow(&self, from: usize, first: Flow, unit: &Unit, variable: SymbolId) -> Flow {
        let flow = |flow: Flow, one: &Order| flow.then(one.flow(unit, variable));
        if self.orders.len() < LONG {
            return self.orders.iter().skip(from).fold(first, flow);
        }
        let index = self.index(unit);
        let own = index.of.get(&variable).map_or(&[][..], Vec::as_slice);
        let [mut own, mut always] =
            [own, &index.always].map(|places| &places[places.partition_point(|p| *p < from)..]);
        let mut all = first;
        while let Some(place) = own.first().into_iter().chain(always.first()).min() {
            all = flow(all, &self.orders[*place]);
            for places in [&mut own, &mut always] {
                if places.first() == Some(place) {
                    *places = &places[1..];
                }
            }
        }
        all
    }

    /// The same for code that begins at entrances of a kind in it; `None` if it has none.
    pub(super) fn entered(&self, at: Entrance, unit: &Unit, variable: SymbolId) -> Option<Flow> {
        let entered = |place: usize| {
            let first = self.orders[place].entered(at, unit, variable)?;
            Some(self.flow(place + 1, first, unit, variable))
        };
        if self.orders.len() < LONG {
            return (0..self.orders.len()).filter_map(entered).reduce(Flow::or);
        }
        let index = self.index(unit);
        let places = match at {
            Entrance::Case => &index.cases,
            Entrance::Here => &index.here,
        };
        places.iter().copied().filter_map(entered).reduce(Flow::or)
    }

    fn index(&self, unit: &Unit) -> &Index {
        self.index.get_or_init(|| {
            let mut index = Index::default();
            for (place, one) in self.orders.iter().enumerate() {
                one.symbols(&mut |symbol| {
                    let places = index.of.entry(symbol).or_default();
                    if places.last() != Some(&place) {
                        places.push(place);
                    }
                });
                let entrances = [
                    (Entrance::Case, &mut index.cases),
                    (Entrance::Here, &mut index.here),
                ];
                for (at, places) in entrances {
                    places.extend(one.entered(at, unit, NONE).map(|_| place));
                }
                let is_neutral = one.flow(unit, NONE) == Flow::NONE;
                index.always.extend((!is_neutral).then_some(place));
            }
            index
        })
    }
}

impl Order<'_> {
    /// Calls `visit` on the variables that it names, as often as it does.
    fn symbols(&self, visit: &mut dyn FnMut(SymbolId)) {
        match self {
            Order::Evaluate(e) => visit::symbols(e, visit),
            Order::Write(symbol) | Order::Read(symbol) => visit(*symbol),
            Order::Sequence(list) => list.orders.iter().for_each(|one| one.symbols(visit)),
            Order::Choice(list) => list.iter().for_each(|one| one.symbols(visit)),
            Order::Repeat(repeat) => {
                let order::Repeat {
                    condition,
                    body,
                    step,
                    ..
                } = &**repeat;
                for one in [condition, body, step] {
                    one.symbols(visit);
                }
            }
            Order::Switch(inner) => inner.symbols(visit),
            Order::Own(symbols, inner) => {
                symbols.iter().for_each(|symbol| visit(*symbol));
                inner.symbols(visit);
            }
            Order::Entry(_) | Order::Jump(_) | Order::Opaque => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ANYWHERE, BREAK, CONTINUE, NEXT, RETURN};
    use super::*;

    /// Numbers that look random.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, most: u64) -> u64 {
            self.0 = (self.0.wrapping_mul(6_364_136_223_846_793_005))
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % most
        }

        fn symbol(&mut self) -> SymbolId {
            SymbolId(self.below(4) as u32)
        }

        /// Some code; of a depth of nothing, an access or a jump.
        fn order(&mut self, depth: u64) -> Order<'static> {
            match self.below(if depth == 0 { 7 } else { 12 }) {
                0 => Order::Write(self.symbol()),
                1..=3 => Order::Read(self.symbol()),
                4 => Order::Jump([NEXT, BREAK, CONTINUE, RETURN, ANYWHERE][self.below(5) as usize]),
                5 => Order::Entry([Entrance::Case, Entrance::Here][self.below(2) as usize]),
                6 if self.below(20) == 0 => Order::Opaque,
                7 => Order::Choice(self.orders(depth - 1, 2)),
                8 => Order::Switch(Box::new(self.order(depth - 1))),
                9 => Order::Own(vec![self.symbol()], Box::new(self.order(depth - 1))),
                10 => Order::Repeat(Box::new(order::Repeat {
                    condition: self.order(0),
                    is_tested_first: self.below(2) == 0,
                    body: self.order(depth - 1),
                    step: self.order(0),
                })),
                _ => Order::Sequence(List::new(if depth == 0 {
                    Vec::new()
                } else {
                    self.orders(depth - 1, 20)
                })),
            }
        }

        fn orders(&mut self, depth: u64, most: u64) -> Vec<Order<'static>> {
            (0..self.below(most)).map(|_| self.order(depth)).collect()
        }
    }

    /// The index leaves out what changes nothing, and nothing else.
    #[test]
    fn long_lists_are_the_sum_of_their_parts() {
        let unit = Unit::default();
        let mut numbers = Numbers(1);
        let mut has_entrances = 0;
        for _ in 0..300 {
            let list = List::new(numbers.orders(3, 60));
            for variable in (0..5).map(SymbolId) {
                let flow = |from: usize, first: Flow| {
                    let rest = list.orders.iter().skip(from);
                    rest.fold(first, |all, one| all.then(one.flow(&unit, variable)))
                };
                for from in [0, 1, 17] {
                    let found = list.flow(from, Flow::NONE, &unit, variable);
                    assert_eq!(found, flow(from, Flow::NONE), "{list:?}");
                }
                for at in [Entrance::Case, Entrance::Here] {
                    let orders = list.orders.iter().enumerate();
                    let expected = orders.filter_map(|(place, one)| {
                        Some(flow(place + 1, one.entered(at, &unit, variable)?))
                    });
                    let expected = expected.reduce(Flow::or);
                    assert_eq!(list.entered(at, &unit, variable), expected, "{list:?}");
                    has_entrances += usize::from(expected.is_some());
                }
            }
        }
        assert!(has_entrances > 500, "{has_entrances}");
    }
}
