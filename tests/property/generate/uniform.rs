//! Windows that all iterations of a block share, in sequential loops: the inner dimension of a
//! matrix product, the bodies that act on each other.

use super::Draft;
use super::nest::{Lane, Nest};
use crate::model::{Directive, Expression, Item, Policy, Region, Side, Statement, Type, name};

/// A factor of the products that a stage sums.
struct Factor {
    array: usize,
    element: Type,
    window: Vec<Side>,
    indices: Vec<Expression>,
}

/// The tiles of the sequential loop.
struct Tiles {
    /// First index of the tile.
    first: Expression,
    /// Indices in a tile.
    length: i64,
    /// The variable that runs through a tile.
    inner: String,
    /// All indices.
    total: Expression,
}

impl Draft {
    /// A sum over `m` products, tile by tile.
    pub fn uniform(&mut self, nest: &Nest) -> Vec<Statement> {
        let real = self.random.chance(1, 2);
        let total = self.parameter("m", &[1, 3, 7, 8, 11, 16, 19, 23]);
        let length = self.random.of(&[1, 3, 4, 8, 8, 16]);
        let by_number = self.random.chance(1, 3);
        let outer = self.fresh(if by_number { "tile" } else { "first" });
        let first = if by_number {
            name(&outer) * length
        } else {
            name(&outer)
        };
        let tiles = Tiles {
            first,
            length,
            inner: self.fresh("l"),
            total: total.clone(),
        };
        let count = self.random.of(&[1, 2, 2]);
        let factors: Vec<Factor> = (0..count)
            .map(|number| self.factor(nest, &tiles, number, real))
            .collect();
        let sum = self.fresh("sum");
        let region = self.products(nest, &tiles, &factors, &sum, real);
        let (bound, step) = if by_number {
            ((total + (length - 1)) / length, 1)
        } else {
            (total, length)
        };
        let kind = self.scalar(real);
        let output = self.output(nest, kind);
        vec![
            Statement::Declare {
                name: sum.clone(),
                kind: self.scalar(real),
                constant: false,
                value: Some(Expression::Integer(self.random.between(0, 3))),
            },
            Statement::For {
                condition: name(&outer).below(bound),
                name: outer,
                from: 0.into(),
                operator: "+=",
                step,
                body: vec![region],
            },
            Statement::Assign {
                place: output,
                operator: "=",
                value: name(&sum),
            },
        ]
    }

    fn products(
        &mut self,
        nest: &Nest,
        tiles: &Tiles,
        factors: &[Factor],
        sum: &str,
        real: bool,
    ) -> Statement {
        let parts: Vec<Expression> = factors
            .iter()
            .map(|factor| {
                let place = Expression::element(factor.array, factor.indices.clone());
                self.number(place, factor.element, real)
            })
            .collect();
        let value = match &parts[..] {
            [left, right] => left.clone() * right.clone(),
            parts => self.combine(parts, real),
        };
        let add = Statement::Assign {
            place: name(sum),
            operator: "+=",
            value,
        };
        let conditional = self.random.chance(1, 5);
        let body = if conditional {
            vec![Statement::If {
                condition: self.condition(parts.first().cloned(), real, nest),
                then: vec![add],
                otherwise: Vec::new(),
            }]
        } else {
            vec![add]
        };
        let end = tiles.first.clone() + tiles.length;
        let bound = Expression::Call("least", vec![end, tiles.total.clone()]);
        let inner = Statement::For {
            name: tiles.inner.clone(),
            from: tiles.first.clone(),
            condition: name(&tiles.inner).below(bound),
            operator: "+=",
            step: 1,
            body,
        };
        let items: Vec<Item> = factors
            .iter()
            .map(|factor| Item {
                array: factor.array,
                window: factor.window.clone(),
                bracketed: self.random.chance(1, 3),
            })
            .collect();
        Statement::Region(Region {
            directives: vec![Directive {
                policy: self
                    .random
                    .of(&[Policy::FetchOnly, Policy::FetchOnly, Policy::Cache]),
                items,
            }],
            explicit: false,
            stacked: false,
            body: vec![inner],
        })
    }

    /// `b[l]`, or `a[i][l]` and `b[l][j]` of a matrix product.
    fn factor(&mut self, nest: &Nest, tiles: &Tiles, number: usize, real: bool) -> Factor {
        let element = self.element(real);
        let along = Side {
            pivot: tiles.first.clone(),
            before: 0.into(),
            after: (tiles.length - 1).into(),
        };
        let mut window = vec![along];
        let mut indices = vec![name(&tiles.inner)];
        let mut extents = vec![tiles.total.clone()];
        if self.random.chance(2, 3) {
            let lane: &Lane = &nest.lanes[number % nest.lanes.len()];
            let at = if number == 0 { 0 } else { window.len() };
            let own = Side {
                pivot: name(&lane.position),
                before: 0.into(),
                after: 0.into(),
            };
            window.insert(at, own);
            indices.insert(at, name(&lane.position));
            extents.insert(at, name(&lane.size));
            self.listing_nine(nest, tiles, &mut window);
        }
        let array = self.array(element, extents, false);
        Factor {
            array,
            element,
            window,
            indices,
        }
    }

    /// The paper's matrix product writes the pivot of a shared tile by the threads that fetch it:
    /// `(j & 15) + l`, which all threads of the block together make the whole tile.
    fn listing_nine(&mut self, nest: &Nest, tiles: &Tiles, window: &mut [Side]) {
        let whole = |lane: &&Lane| lane.aligned && lane.block == tiles.length;
        let Some(lane) = nest.lanes.iter().find(whole) else {
            return;
        };
        let number = self.lane_number(name(&lane.position), lane.block);
        for side in window {
            if side.pivot == tiles.first {
                side.pivot = number.clone() + tiles.first.clone();
                side.after = 0.into();
            }
        }
    }
}
