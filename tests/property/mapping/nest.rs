//! A random loop nest over arrays: what it computes, not how it is spread over threads.

use crate::random::Random;

/// A nest of two to four loops and the statement inside.
#[derive(Clone, Debug)]
pub struct Nest {
    /// What it is made from; it gives the values in the arrays as well.
    pub seed: u64,
    pub element: Element,
    /// Outermost first. The first `parallel` of them are independent, those inside run in order.
    pub loops: Vec<Loop>,
    pub parallel: usize,
    /// What is read, `a0`, `a1`, ….
    pub inputs: Vec<Array>,
    /// What is written, `out`: each iteration of the parallel loops has elements of its own.
    pub output: Array,
    pub body: Body,
    /// Iterations read a small table as well, which blocks are to cache.
    pub has_table: bool,
    /// The first input is read at a second place as well, as stencils do.
    pub is_mirrored: bool,
}

/// The type of all elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    Int,
    Unsigned,
    Long,
    Float,
    Double,
}

impl Element {
    /// As C writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Unsigned => "unsigned",
            Self::Long => "long",
            Self::Float => "float",
            Self::Double => "double",
        }
    }

    /// Whether it is `float` or `double`.
    pub fn is_real(self) -> bool {
        matches!(self, Self::Float | Self::Double)
    }
}

/// A counted loop. Its variable is a value of `first..=last`.
#[derive(Clone, Debug)]
pub struct Loop {
    pub first: i64,
    pub last: i64,
    pub step: i64,
    pub downward: bool,
    pub bound: Bound,
}

/// How a loop's header says where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Number,
    /// A parameter of the function.
    Parameter,
    /// Begins at the variable of an outer loop.
    From(usize),
    /// Ends with the variable of an outer loop.
    UpTo(usize),
}

/// An array and the subscripts of its one access, outermost dimension first.
#[derive(Clone, Debug)]
pub struct Array {
    pub subscripts: Vec<Subscript>,
    pub form: Form,
}

/// How an array is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `T *a`, numbered row by row with extents that are numbers.
    Flat,
    /// The same with extents that are parameters.
    Strided,
    /// `T (*a)[n]` with extents that are numbers.
    Shaped,
}

/// A sum of loops' variables times factors, from 0 to below `extent`.
#[derive(Clone, Debug)]
pub struct Subscript {
    /// Of each loop; 0 where it has no part.
    pub factors: Vec<i64>,
    pub constant: i64,
    pub extent: i64,
}

/// What an iteration does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// `out = …;`
    Assign,
    /// `out += …;`
    Update,
    /// `if (…) out = …; else out -= …;`
    Branch,
    /// The inner loops add up, `out = sum;`.
    Sum,
    /// `out = …;`, and a reduction of all iterations.
    Reduce(Operator),
}

/// Operators of reductions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Add,
    Maximum,
    ExclusiveOr,
}

/// Iterations of a whole nest, about.
const ITERATIONS: i64 = 6_000;

/// The nest of a seed.
pub fn nest(seed: u64) -> Nest {
    let mut random = Random::new(seed);
    let element = random.of(&[
        Element::Int,
        Element::Unsigned,
        Element::Long,
        Element::Float,
        Element::Double,
    ]);
    let parallel = usize::try_from(random.of(&[1_i64, 2, 2, 2, 3, 3, 4])).expect("a small number");
    let inside = match parallel {
        1 => 1,
        4 => 0,
        _ => usize::from(random.chance(1, 2)),
    };
    let loops = loops(&mut random, parallel, inside);
    let body = body(&mut random, element, inside > 0);
    let output = output(&mut random, &loops, parallel, body);
    let inputs = (0..random.between(1, 3))
        .map(|_| input(&mut random, &loops))
        .collect();
    Nest {
        seed,
        element,
        loops,
        parallel,
        inputs,
        output,
        body,
        has_table: random.chance(1, 2),
        is_mirrored: random.chance(1, 2),
    }
}

impl Nest {
    /// The first input where the last subscript counts down from its end.
    pub fn mirror(&self) -> Array {
        let mut mirror = self.inputs[0].clone();
        if let Some(last) = mirror.subscripts.last_mut() {
            last.factors
                .iter_mut()
                .for_each(|factor| *factor = -*factor);
            last.constant = last.extent - 1 - last.constant;
        }
        mirror
    }

    /// The same nest, but its outermost loop begins one iteration later.
    pub fn without_first_iteration(&self) -> Self {
        let mut nest = self.clone();
        let outermost = &mut nest.loops[0];
        if outermost.downward {
            outermost.last -= outermost.step;
        } else {
            outermost.first += outermost.step;
        }
        nest
    }
}

fn loops(random: &mut Random, parallel: usize, inside: usize) -> Vec<Loop> {
    let depth = parallel + inside;
    let mut room = ITERATIONS;
    let mut loops: Vec<Loop> = Vec::new();
    for number in 0..depth {
        // A size that nothing divides: neither warps nor blocks, or not even one warp.
        let size = random.of(&[1, 3, 7, 13, 31, 33, 41, 67, 131]).min(room);
        let step = random.of(&[1, 1, 1, 2, 3]);
        let first = random.of(&[0, 0, 1, 2, 5]);
        let plain = random.of(&[Bound::Number, Bound::Parameter]);
        let outer = usize::try_from(random.between(0, 20)).expect("not negative");
        let bound = match random.of(&[true, false]) {
            // Nests in which a bound depends on a variable outside are few.
            true if outer < number && loops[outer].step == 1 => Bound::From(outer),
            false if outer < number && loops[outer].step == 1 => Bound::UpTo(outer),
            _ => plain,
        };
        let (first, last) = match bound {
            Bound::From(outer) => (loops[outer].first, loops[outer].last + size),
            Bound::UpTo(outer) => (first, first.max(loops[outer].last)),
            _ => (first, first + step * (size - 1)),
        };
        let depends = bound != plain;
        room = (room / (last - first + 1)).max(1);
        loops.push(Loop {
            first,
            last,
            step: if depends { 1 } else { step },
            downward: !depends && random.chance(1, 4),
            bound,
        });
    }
    loops
}

fn body(random: &mut Random, element: Element, has_inside: bool) -> Body {
    let operators: &[Operator] = if element.is_real() {
        &[Operator::Add, Operator::Add, Operator::Maximum]
    } else {
        &[Operator::Add, Operator::Maximum, Operator::ExclusiveOr]
    };
    let reduce = Body::Reduce(random.of(operators));
    if has_inside {
        random.of(&[Body::Assign, Body::Update, Body::Sum, Body::Sum, reduce])
    } else {
        random.of(&[Body::Assign, Body::Update, Body::Branch, reduce])
    }
}

/// An element for each iteration of the loops that it belongs to: one dimension for each of them,
/// in any order and direction.
fn output(random: &mut Random, loops: &[Loop], parallel: usize, body: Body) -> Array {
    let own = if body == Body::Sum {
        parallel
    } else {
        loops.len()
    };
    let mut order: Vec<usize> = (0..own).collect();
    for place in (1..own).rev() {
        let other = random.between(0, i64::try_from(place).expect("a small number"));
        order.swap(place, usize::try_from(other).expect("not negative"));
    }
    let subscripts = order.into_iter().map(|number| {
        let mut factors = vec![0; loops.len()];
        factors[number] = random.of(&[1, 1, 1, 1, -1, 2, 3]);
        subscript(random, factors, loops)
    });
    let subscripts = subscripts.collect();
    Array {
        subscripts,
        form: form(random),
    }
}

/// An array of one to three dimensions that is read wherever its subscripts lead.
fn input(random: &mut Random, loops: &[Loop]) -> Array {
    let mut subscripts = Vec::new();
    let mut room = 60_000;
    for _ in 0..random.between(1, 3) {
        let factors = loops
            .iter()
            .map(|_| random.of(&[0, 0, 0, 1, 1, -1, 2]))
            .collect();
        let subscript = subscript(random, factors, loops);
        if subscript.extent > room {
            break;
        }
        room /= subscript.extent;
        subscripts.push(subscript);
    }
    if subscripts.is_empty() {
        subscripts.push(subscript(random, vec![0; loops.len()], loops));
    }
    Array {
        subscripts,
        form: form(random),
    }
}

fn form(random: &mut Random) -> Form {
    random.of(&[Form::Flat, Form::Strided, Form::Shaped])
}

/// With a constant that brings the least value to 0, or a little above.
fn subscript(random: &mut Random, factors: Vec<i64>, loops: &[Loop]) -> Subscript {
    let ends = |l: &Loop, factor: i64| (factor * l.first, factor * l.last);
    let (mut least, mut most) = (0, 0);
    for (l, factor) in loops.iter().zip(&factors) {
        let (one, other) = ends(l, *factor);
        least += one.min(other);
        most += one.max(other);
    }
    let constant = random.of(&[0, 0, 1, 3]) - least;
    Subscript {
        factors,
        constant,
        extent: most + constant + random.of(&[1, 1, 2, 6]),
    }
}
