//! The programs whose requests are compared, with sizes that nothing divides.

mod rodinia;

/// A program, what it is run with and what is assumed of it.
pub struct Program {
    /// Below `benchmarks/`, or below `tests/mappings/`.
    pub source: &'static str,
    pub arguments: &'static str,
    /// What its kernels know sizes by that are the same in all launches.
    pub sizes: &'static [&'static str],
    /// What differs between launches: the assumptions of each. A launch that begins with the name of
    /// a kernel is one of that kernel, of which the others are none.
    pub launches: fn() -> Vec<Vec<String>>,
    /// The variables of its nests: each is tried along x.
    pub variables: &'static [&'static str],
    /// Accesses that are not predicted, and why. All others are.
    pub unpredicted: &'static [&'static str],
    /// What functions access: their calls are told of.
    pub in_functions: &'static [&'static str],
    /// Which windows it has: `asked`, or `automatic`.
    pub windows: &'static str,
}

const PROGRAM: Program = Program {
    source: "",
    arguments: "",
    sizes: &[],
    launches: || vec![Vec::new()],
    variables: &[],
    unpredicted: &[],
    in_functions: &[],
    windows: "asked",
};

/// The launches of a function's kernel, for which names of the program's sizes have other values.
fn launches_of(function: &str, launches: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let named = |launch: Vec<String>| [vec![format!("{function}_kernel")], launch].concat();
    launches.into_iter().map(named).collect()
}

/// Values of some variables, launch by launch.
fn each(names: &[&str], launches: impl IntoIterator<Item = Vec<i64>>) -> Vec<Vec<String>> {
    let of_launch = |values: Vec<i64>| {
        let both = names.iter().zip(values);
        both.map(|(name, value)| format!("{name}={value}"))
            .collect()
    };
    launches.into_iter().map(of_launch).collect()
}

/// All of them.
pub fn programs() -> impl Iterator<Item = &'static Program> {
    PROGRAMS.iter().chain(rodinia::PROGRAMS)
}

const PROGRAMS: &[Program] = &[
    Program {
        source: "benchmarks/matmul/matmul.c",
        arguments: "70 75 100 1",
        sizes: &["rows=70", "inner=75", "columns=100"],
        variables: &["i", "j"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/matmul/matmul.c",
        arguments: "70 75 100 1",
        sizes: &["rows=70", "inner=75", "columns=100"],
        windows: "automatic",
        unpredicted: &[
            "fetch a[i:0:0][k_first:0:31]: where it goes is not affine in the loops' iterations",
            "fetch b[k_first:0:31][j:0:0]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/matmul/matmul_fcw.c",
        arguments: "70 75 100 1",
        sizes: &["rows=70", "inner=75", "columns=100"],
        unpredicted: &[
            "fetch a[i:0:0:first:0:TILE - 1]: where it goes is not affine in the loops' iterations",
            "fetch b[first:0:TILE - 1:j:0:0]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/matmul/matmul_cache.c",
        arguments: "70 75 100 1",
        sizes: &["rows=70", "inner=75", "columns=100"],
        unpredicted: &[
            "fetch a[i:1][first:TILE]: where it goes is not affine in the loops' iterations",
            "fetch b[first:TILE][j:1]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/jacobi/jacobi.c",
        arguments: "100 101 2 1",
        sizes: &["rows=100", "columns=101"],
        variables: &["row", "column"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/jacobi/jacobi_fcw.c",
        arguments: "100 101 2 1",
        sizes: &["rows=100", "columns=101", "now=100"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/jacobi/jacobi_cache.c",
        arguments: "100 101 2 1",
        sizes: &["rows=100", "columns=101", "now=100"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/fdtd/fdtd.c",
        arguments: "100 101 2 1",
        sizes: &["rows=100", "columns=101"],
        variables: &["row", "column"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/fdtd/fdtd_fcw.c",
        arguments: "100 101 2 1",
        sizes: &["rows=100", "columns=101", "ex=101", "ey=100", "hz=100"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/fdtd/fdtd_cache.c",
        arguments: "100 101 2 1",
        sizes: &["rows=100", "columns=101", "ex=101", "ey=100", "hz=100"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/poisson/poisson.c",
        arguments: "37 41 43 1 1",
        sizes: &["planes=37", "rows=41", "columns=43"],
        variables: &["i", "j", "k"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/poisson/poisson_fcw.c",
        arguments: "37 41 43 1 1",
        sizes: &["planes=37", "rows=41", "columns=43", "p=37"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/poisson/poisson_cache.c",
        arguments: "37 41 43 1 1",
        sizes: &["planes=37", "rows=41", "columns=43", "p=37"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/hotspot/hotspot.c",
        arguments: "100 101 2 --generate 1",
        sizes: &["rows=100", "columns=101"],
        variables: &["row", "column"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/hotspot/hotspot_fcw.c",
        arguments: "100 101 2 --generate 1",
        sizes: &[
            "rows=100",
            "columns=101",
            "row_threads=144",
            "column_threads=144",
            "depth=2",
            "now=100",
            "power=100",
        ],
        unpredicted: &[
            "fetch now[row:0:0:column:0:0]: where it goes is not affine in the loops' iterations",
            "fetch power[row:0:0:column:0:0]: where it goes is not affine in the loops' iterations",
            "write next[row][column]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/hotspot/hotspot_cache.c",
        arguments: "100 101 2 --generate 1",
        sizes: &["rows=100", "columns=101", "now=100"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/nbody/nbody.c",
        arguments: "300 2 1",
        sizes: &["count=300"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/nbody/nbody_fcw.c",
        arguments: "300 2 1",
        sizes: &["count=300", "bodies=300"],
        unpredicted: &[
            "fetch bodies[first:0:TILE - 1]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/nbody/nbody_cache.c",
        arguments: "300 2 1",
        sizes: &["count=300", "bodies=300"],
        unpredicted: &[
            "fetch bodies[first:TILE]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "tests/mappings/strides.c",
        arguments: "201",
        sizes: &["n=201"],
        variables: &["i", "j", "k"],
        unpredicted: &[
            "read a[i - 1]: which threads take part, or how often, is not affine in the loops' iterations",
            "write a[i]: which threads take part, or how often, is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "tests/mappings/exchange.c",
        arguments: "45",
        sizes: &["n=45"],
        variables: &["i", "k", "row", "column"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/srad/srad.c",
        arguments: "2 --generate 100 101 1",
        sizes: &["rows=100", "columns=101"],
        unpredicted: &[
            "read coefficient[row][east]: where it goes is not affine in the loops' iterations",
            "read coefficient[south][column]: where it goes is not affine in the loops' iterations",
            "read now[row < rows - 1 ? row + 1 : row][column]: where it goes is not affine in the loops' iterations",
            "read now[row > 0 ? row - 1 : row][column]: where it goes is not affine in the loops' iterations",
            "read now[row][column < columns - 1 ? column + 1 : column]: where it goes is not affine in the loops' iterations",
            "read now[row][column > 0 ? column - 1 : column]: where it goes is not affine in the loops' iterations",
            "read now[row][east]: where it goes is not affine in the loops' iterations",
            "read now[south][column]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/srad/srad_fcw.c",
        arguments: "2 --generate 100 101 1",
        sizes: &[
            "rows=100",
            "columns=101",
            "inner=15",
            "row_threads=112",
            "column_threads=112",
            "now=100",
        ],
        unpredicted: &[
            "fetch now[row:1:1:column:1:1]: where it goes is not affine in the loops' iterations",
            "write next[row][column]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/srad/srad_cache.c",
        arguments: "2 --generate 100 101 1",
        sizes: &["rows=100", "columns=101", "now=100", "coefficient=100"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/pathfinder/pathfinder.c",
        arguments: "20 1056 1", // rows are whole lines: which one a launch has is not known
        sizes: &["columns=1056"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/pathfinder/pathfinder_fcw.c",
        arguments: "17 1056 1",
        sizes: &["columns=1056", "tiles=5", "depth=8", "now=1056"],
        launches: || each(&["row"], [0, 8].map(|row| vec![row])),
        unpredicted: &[
            "fetch now[n:0:0]: where it goes is not affine in the loops' iterations",
            "read costs[row + step + 1][n]: where it goes is not affine in the loops' iterations",
            "write next[n]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/reduction/reduction.c",
        arguments: "1000 1",
        sizes: &["count=1000"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/reduction/reduction_fcw.c",
        arguments: "1000 1",
        launches: || each(&["count", "values"], [1000, 4].map(|left| vec![left, left])),
        unpredicted: &[
            "write sums[i / TILE]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/nn/nn.c",
        arguments: "5 30 90 --generate 1000 1",
        sizes: &["count=1000"],
        unpredicted: &[
            "read distances[i]: which threads take part, or how often, is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/dyadic/dyadic.c",
        arguments: "500 30 1",
        sizes: &["count=512", "kernel_count=30"],
        unpredicted: &["read data[j ^ k]: where it goes is not affine in the loops' iterations"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/dyadic/dyadic_fcw.c",
        arguments: "2000 40 1",
        sizes: &["count=2048", "width=512", "half=256"],
        launches: || each(&["stride"], [1024, 512].map(|stride| vec![stride])),
        unpredicted: &[
            "read values[first + lane + half]: where it goes is not affine in the loops' iterations",
            "read values[first + lane]: where it goes is not affine in the loops' iterations",
            "read values[low + stride]: where it goes is not affine in the loops' iterations",
            "read values[low]: where it goes is not affine in the loops' iterations",
            "write values[first + lane + half]: where it goes is not affine in the loops' iterations",
            "write values[first + lane]: where it goes is not affine in the loops' iterations",
            "write values[low + stride]: where it goes is not affine in the loops' iterations",
            "write values[low]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/backprop/backprop.c",
        arguments: "1009 17 1",
        sizes: &["rows=1010", "hidden=17"],
        unpredicted: &["write sums[j]: no loop over threads is around it"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/backprop/backprop_fcw.c",
        arguments: "1009 17 1",
        sizes: &["rows=1010", "hidden=17", "tiles=64", "input=1010"],
        unpredicted: &[
            "write partials[i / TILE_ROWS][j]: where it goes is not affine in the loops' iterations",
            "write sums[j]: no loop over threads is around it",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/gaussian/gaussian.c",
        arguments: "--generate 40 1",
        sizes: &["size=40"],
        launches: || each(&["k"], (0..39).map(|k| vec![k])),
        ..PROGRAM
    },
    Program {
        source: "benchmarks/gaussian/gaussian_fcw.c",
        arguments: "--generate 67 1",
        sizes: &["size=67", "a=67", "done=67"],
        launches: || {
            let tile = |first: i64| vec![first, (first + 16).min(67), (first + 16).min(68)];
            each(&["first", "last", "right"], (0..67).step_by(16).map(tile))
        },
        unpredicted: &[
            "write back a[i:0:0:j:0:0]: which slots are written back depends on what threads have written",
            "write back a[i][j]: which slots are written back depends on what threads have written",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/gaussian/gaussian_cache.c",
        arguments: "--generate 40 1",
        sizes: &["size=40", "a=40"],
        launches: || each(&["k"], (0..39).map(|k| vec![k])),
        unpredicted: &[
            "read a[i][j]: windows hold some of its array",
            "write a[i][j]: windows hold some of its array",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/kmeans/kmeans.c",
        arguments: "7 1 --generate 300 5 1",
        sizes: &["points=300", "features=5", "clusters=7"],
        unpredicted: &[
            "read counts[c]: which threads take part, or how often, is not affine in the loops' iterations",
            "read counts[nearest]: where it goes is not affine in the loops' iterations",
            "read sums[c][f]: which threads take part, or how often, is not affine in the loops' iterations",
            "read sums[nearest][f]: where it goes is not affine in the loops' iterations",
            "write centers[c][f]: which threads take part, or how often, is not affine in the loops' iterations",
            "write counts[nearest]: where it goes is not affine in the loops' iterations",
            "write sums[nearest][f]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/kmeans/kmeans_fcw.c",
        arguments: "7 1 --generate 300 5 1",
        sizes: &[
            "points=300",
            "features=5",
            "clusters=7",
            "tiles=3",
            "padding=4",
            "values=300",
            "centers=7",
        ],
        unpredicted: &[
            "read counts[c]: where it goes is not affine in the loops' iterations",
            "read counts[c]: which threads take part, or how often, is not affine in the loops' iterations",
            "read sums[c][f]: which threads take part, or how often, is not affine in the loops' iterations",
            "read sums[slot / features][slot % features]: where it goes is not affine in the loops' iterations",
            "write centers[c][f]: which threads take part, or how often, is not affine in the loops' iterations",
            "write counts[c]: where it goes is not affine in the loops' iterations",
            "write sums[slot / features][slot % features]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/kmeans/kmeans_cache.c",
        arguments: "7 1 --generate 300 5 1",
        sizes: &[
            "points=300",
            "features=5",
            "clusters=7",
            "values=300",
            "centers=7",
        ],
        unpredicted: &[
            "read counts[c]: which threads take part, or how often, is not affine in the loops' iterations",
            "read counts[nearest]: where it goes is not affine in the loops' iterations",
            "read sums[c][f]: which threads take part, or how often, is not affine in the loops' iterations",
            "read sums[nearest][f]: where it goes is not affine in the loops' iterations",
            "write centers[c][f]: which threads take part, or how often, is not affine in the loops' iterations",
            "write counts[nearest]: where it goes is not affine in the loops' iterations",
            "write sums[nearest][f]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/nw/nw.c",
        arguments: "33 35 10 1",
        sizes: &["rows=33", "columns=35"],
        launches: || {
            let cells =
                |diagonal: i64| vec![diagonal, (diagonal - 35).max(1), (diagonal - 1).min(33)];
            each(&["diagonal", "top", "bottom"], (2..=68).map(cells))
        },
        ..PROGRAM
    },
    Program {
        source: "benchmarks/nw/nw_fcw.c",
        arguments: "67 131 10 1",
        sizes: &["rows=67", "columns=131", "score=68", "similarity=68"],
        launches: || {
            let tiles = |diagonal: i64| vec![diagonal, (diagonal - 8).max(0), diagonal.min(4)];
            each(&["diagonal", "top", "bottom"], (0..13).map(tiles))
        },
        unpredicted: &[
            "fetch score[row:1:TILE - 1:column:1:TILE - 1]: where it goes is not affine in the loops' iterations",
            "fetch similarity[row:0:TILE - 1:column:0:TILE - 1]: where it goes is not affine in the loops' iterations",
            "write back score[row:1:TILE - 1:column:1:TILE - 1]: which slots are written back depends on what threads have written",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/bfs/bfs.c",
        arguments: "--generate 1009 1",
        sizes: &["node_count=1009", "length=1"],
        unpredicted: &[
            "read lengths[target]: where it goes is not affine in the loops' iterations",
            "read nodes[node]: which threads take part, or how often, is not affine in the loops' iterations",
            "read targets[edge]: where it goes is not affine in the loops' iterations",
            "write frontier[node]: which threads take part, or how often, is not affine in the loops' iterations",
            "write lengths[node]: which threads take part, or how often, is not affine in the loops' iterations",
            "write reached[node]: which threads take part, or how often, is not affine in the loops' iterations",
            "write reached[target]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/cfd/cfd.c",
        arguments: "1 --generate 7 5 3 1",
        sizes: &["cells=630"],
        unpredicted: &[
            "read state_of(cells, variables, i): a function accesses it",
            "read state_of(cells, variables, neighbour): a function accesses it",
        ],
        in_functions: &[
            "read at line 17",
            "read at line 18",
            "read at line 19",
            "read at line 20",
            "read at line 21",
        ],
        ..PROGRAM
    },
];
