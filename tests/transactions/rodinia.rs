//! Programs of the Rodinia suite, beside those that were here first.

use super::{PROGRAM, Program, each, launches_of};

/// The steps of prefix sums of so many values, each of which reaches twice as far as the one before.
fn prefix_sums(count: i64) -> Vec<Vec<String>> {
    let reaches = (0..63).map(|step| 1 << step);
    let steps = reaches.take_while(|reach| *reach < count);
    let steps = each(&["count", "reach"], steps.map(|reach| vec![count, reach]));
    launches_of("add_before", steps)
}

pub const PROGRAMS: &[Program] = &[
    Program {
        source: "benchmarks/lud/lud.c",
        arguments: "--generate 40 1",
        sizes: &["size=40"],
        launches: || each(&["k"], (0..40).map(|k| vec![k])),
        ..PROGRAM
    },
    Program {
        source: "benchmarks/lud/lud_fcw.c",
        arguments: "--generate 67 1",
        sizes: &["size=67", "a=67", "done=67"],
        launches: || {
            let tile = |first: i64| vec![first, (first + 16).min(67)];
            each(&["first", "end"], (0..67).step_by(16).map(tile))
        },
        unpredicted: &[
            "write back a[first:0:TILE - 1:j:0:0]: which slots are written back depends on what threads have written",
            "write back a[i:0:0:first:0:TILE - 1]: which slots are written back depends on what threads have written",
            "write back a[i:0:0:j:0:0]: which slots are written back depends on what threads have written",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/lud/lud_cache.c",
        arguments: "--generate 67 1",
        sizes: &["size=67", "a=67", "done=67"],
        launches: || {
            let tile = |first: i64| vec![first, (first + 16).min(67)];
            each(&["first", "end"], (0..67).step_by(16).map(tile))
        },
        unpredicted: &["write a[i][j]: windows hold some of its array"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/hotspot3D/hotspot3D.c",
        arguments: "3 41 43 1 --generate 1",
        sizes: &["layers=3", "rows=41", "columns=43"],
        unpredicted: &[
            "read now[layer < layers - 1 ? layer + 1 : layer][row][column]: where it goes is not affine in the loops' iterations",
            "read now[layer > 0 ? layer - 1 : layer][row][column]: where it goes is not affine in the loops' iterations",
            "read now[layer][row < rows - 1 ? row + 1 : row][column]: where it goes is not affine in the loops' iterations",
            "read now[layer][row > 0 ? row - 1 : row][column]: where it goes is not affine in the loops' iterations",
            "read now[layer][row][column < columns - 1 ? column + 1 : column]: where it goes is not affine in the loops' iterations",
            "read now[layer][row][column > 0 ? column - 1 : column]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/hotspot3D/hotspot3D_fcw.c",
        arguments: "3 41 43 1 --generate 1",
        sizes: &["layers=3", "rows=41", "columns=43", "now=3"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/hotspot3D/hotspot3D_cache.c",
        arguments: "3 41 43 1 --generate 1",
        sizes: &["layers=3", "rows=41", "columns=43", "now=3"],
        unpredicted: &["read now[layer + 1][row][column]: windows hold some of its array"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/lavaMD/lavaMD.c",
        arguments: "2 3 1 40 1",
        sizes: &["planes=2", "rows=3", "columns=1", "particles=40"],
        unpredicted: &[
            "read charges[j]: where it goes is not affine in the loops' iterations",
            "read places[j]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/lavaMD/lavaMD_fcw.c",
        arguments: "2 3 1 40 1",
        sizes: &[
            "planes=2",
            "rows=3",
            "columns=1",
            "particles=40",
            "places=240",
            "charges=240",
        ],
        unpredicted: &[
            "fetch charges[first:0:particles - 1]: where it goes is not affine in the loops' iterations",
            "fetch places[first:0:particles - 1]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/lavaMD/lavaMD_cache.c",
        arguments: "2 3 1 40 1",
        sizes: &[
            "planes=2",
            "rows=3",
            "columns=1",
            "particles=40",
            "places=240",
            "charges=240",
        ],
        unpredicted: &[
            "fetch charges[first:particles]: where it goes is not affine in the loops' iterations",
            "fetch places[first:particles]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/dwt2d/dwt2d.c",
        arguments: "9/7 1 --generate 40 77 1",
        sizes: &["rows=40", "columns=77", "width=77", "steps=4"],
        launches: || each(&["step"], (0..4).map(|step| vec![step])),
        unpredicted: &[
            "read now[row < rows - 1 ? row + 1 : row - 1][column]: where it goes is not affine in the loops' iterations",
            "read now[row > 0 ? row - 1 : row + 1][column]: where it goes is not affine in the loops' iterations",
            "read now[row][column < columns - 1 ? column + 1 : column - 1]: where it goes is not affine in the loops' iterations",
            "read now[row][column > 0 ? column - 1 : column + 1]: where it goes is not affine in the loops' iterations",
            "read now[row][column]: which threads take part, or how often, is not affine in the loops' iterations",
            "write next[row / 2][column / 2]: where it goes is not affine in the loops' iterations",
            "write now[row][column]: which threads take part, or how often, is not affine in the loops' iterations",
            "write result[place_of(rows, row)][place_of(columns, column)]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/dwt2d/dwt2d_fcw.c",
        arguments: "9/7 1 --generate 40 77 1",
        sizes: &[
            "rows=40",
            "columns=77",
            "width=77",
            "steps=4",
            "inner=24",
            "row_threads=64",
            "column_threads=128",
            "now=40",
        ],
        unpredicted: &[
            "fetch now[row:0:0:column:0:0]: where it goes is not affine in the loops' iterations",
            "write next[row / 2][column / 2]: where it goes is not affine in the loops' iterations",
            "write result[place_of(rows, row)][place_of(columns, column)]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/dwt2d/dwt2d_cache.c",
        arguments: "9/7 1 --generate 40 77 1",
        sizes: &["rows=40", "columns=77", "width=77", "steps=4", "now=40"],
        launches: || each(&["step"], (0..4).map(|step| vec![step])),
        unpredicted: &[
            "fetch now[row - 1:3][column:1]: where it goes is not affine in the loops' iterations",
            "fetch now[row:1][column - 1:3]: where it goes is not affine in the loops' iterations",
            "write next[row / 2][column / 2]: where it goes is not affine in the loops' iterations",
            "write now[row][column]: windows hold some of its array",
            "write result[place_of(rows, row)][place_of(columns, column)]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/heartwall/heartwall.c",
        arguments: "67 80 2 7 1",
        sizes: &["points=7", "rows=67", "columns=80"],
        unpredicted: &[
            "read before[i]: no loop over threads is around it",
            "read frame[row][column]: where it goes is not affine in the loops' iterations",
            "read templates[i][k]: which threads take part, or how often, is not affine in the loops' iterations",
            "write after[i]: no loop over threads is around it",
            "write correlations[i]: no loop over threads is around it",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/heartwall/heartwall_fcw.c",
        arguments: "67 80 2 7 1",
        sizes: &["points=7", "rows=67", "columns=80", "templates=7"],
        unpredicted: &[
            "read before[i]: no loop over threads is around it",
            "read frame[row][column]: where it goes is not affine in the loops' iterations",
            "write back templates[i:0:0:0:0:PIXELS - 1]: which slots are written back depends on what threads have written",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/heartwall/heartwall_cache.c",
        arguments: "67 80 2 7 1",
        sizes: &[
            "points=7",
            "rows=67",
            "columns=80",
            "templates=7",
            "areas=7",
        ],
        unpredicted: &[
            "read areas[i][first + k / SIDE * AREA_SIDE + k % SIDE]: where it goes is not affine in the loops' iterations",
            "read areas[i][first + k / SIDE * AREA_SIDE + k % SIDE]: windows hold some of its array",
            "read before[i]: no loop over threads is around it",
            "read frame[row][column]: where it goes is not affine in the loops' iterations",
            "write after[i]: no loop over threads is around it",
            "write correlations[i]: no loop over threads is around it",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/leukocyte/leukocyte.c",
        arguments: "3 21 41 1 1",
        sizes: &["cells=3", "rows=21", "columns=41", "most=1"],
        unpredicted: &[
            "read edges[i][row][column]: where it goes is not affine in the loops' iterations",
            "read fields[i][row][column]: where it goes is not affine in the loops' iterations",
            "read fields[i][y][x]: where it goes is not affine in the loops' iterations",
            "read motions[i]: no loop over threads is around it",
            "read next[i][k / columns][k % columns]: where it goes is not affine in the loops' iterations",
            "write fields[i][k / columns][k % columns]: where it goes is not affine in the loops' iterations",
            "write iterations[i]: no loop over threads is around it",
            "write next[i][row][column]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/leukocyte/leukocyte_fcw.c",
        arguments: "3 21 41 1 1",
        sizes: &[
            "cells=3",
            "rows=21",
            "columns=41",
            "most=1",
            "edges=3",
            "fields=3",
        ],
        unpredicted: &[
            "read motions[i]: no loop over threads is around it",
            "write back fields[i:0:0:0:0:rows - 1:0:0:columns - 1]: which slots are written back depends on what threads have written",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/leukocyte/leukocyte_cache.c",
        arguments: "3 21 41 1 1",
        sizes: &["cells=3", "rows=21", "columns=41", "now=3"],
        unpredicted: &[
            "read changes[i]: no loop over threads is around it",
            "read edges[i][row][column]: where it goes is not affine in the loops' iterations",
            "read iterations[i]: no loop over threads is around it",
            "read motions[i]: no loop over threads is around it",
            "read now[i][row][column]: windows hold some of its array",
            "write changes[i]: no loop over threads is around it",
            "write iterations[i]: no loop over threads is around it",
            "write next[i][row][column]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/btree/btree.c",
        arguments: "60 31 1 --generate 1009",
        sizes: &["queries=60", "ranges=31", "nodes=17", "height=2"],
        unpredicted: &[
            "read bounds[i][side]: no loop over threads is around it",
            "read children[node][below - 1]: no loop over threads is around it",
            "read children[node][below > 0 ? below - 1 : 0]: no loop over threads is around it",
            "read keys[node][below - 1]: no loop over threads is around it",
            "read keys[node][k]: where it goes is not affine in the loops' iterations",
            "read wanted[i]: no loop over threads is around it",
            "write found[i]: no loop over threads is around it",
            "write ranks[i][side]: no loop over threads is around it",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/btree/btree_fcw.c",
        arguments: "60 31 1 --generate 1009",
        sizes: &["queries=60", "ranges=31", "nodes=17", "height=2"],
        unpredicted: &[
            "read children[node][lane]: where it goes is not affine in the loops' iterations",
            "read is_place(keys[node], lane, key): a function accesses it",
            "read is_place(keys[node], lane, last): a function accesses it",
            "read keys[node][lane]: where it goes is not affine in the loops' iterations",
            "write found[i]: which threads take part, or how often, is not affine in the loops' iterations",
            "write ranks[i][side]: which threads take part, or how often, is not affine in the loops' iterations",
        ],
        in_functions: &["read at line 16"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/huffman/huffman.c",
        arguments: "--generate 3001 1",
        sizes: &["count=3001", "pieces=751"],
        launches: || {
            let words = launches_of("clear", each(&["count"], [vec![751]]));
            [vec![Vec::new()], prefix_sums(751), words].concat()
        },
        unpredicted: &[
            "read bytes[i]: where it goes is not affine in the loops' iterations",
            "read codes[symbol]: where it goes is not affine in the loops' iterations",
            "read counts[bytes[i]]: where it goes is not affine in the loops' iterations",
            "read lengths[bytes[i]]: where it goes is not affine in the loops' iterations",
            "read lengths[symbol]: where it goes is not affine in the loops' iterations",
            "read words[at / 32]: where it goes is not affine in the loops' iterations",
            "write counts[bytes[i]]: where it goes is not affine in the loops' iterations",
            "write words[at / 32]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/huffman/huffman_cache.c",
        arguments: "--generate 3001 1",
        sizes: &[
            "count=3001",
            "pieces=751",
            "bytes=3001",
            "codes=256",
            "lengths=256",
        ],
        launches: || {
            let words = launches_of("clear", each(&["count"], [vec![751]]));
            [vec![Vec::new()], prefix_sums(751), words].concat()
        },
        unpredicted: &[
            "read counts[bytes[i]]: where it goes is not affine in the loops' iterations",
            "read words[at / 32]: where it goes is not affine in the loops' iterations",
            "write counts[bytes[i]]: where it goes is not affine in the loops' iterations",
            "write words[at / 32]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/huffman/huffman_fcw.c",
        arguments: "--generate 3001 1",
        sizes: &[
            "count=3001",
            "tiles=3",
            "bytes=3001",
            "codes=256",
            "lengths=256",
        ],
        launches: || {
            let words = launches_of("clear", each(&["count"], [vec![751]]));
            [vec![Vec::new()], prefix_sums(3), words].concat()
        },
        unpredicted: &[
            "read bytes[i]: where it goes is not affine in the loops' iterations",
            "read bytes[i]: which threads take part, or how often, is not affine in the loops' iterations",
            "read counts[symbol]: where it goes is not affine in the loops' iterations",
            "read lengths[bytes[i]]: where it goes is not affine in the loops' iterations",
            "read totals[tile - 1]: where it goes is not affine in the loops' iterations",
            "read words[begin / 32 + i]: where it goes is not affine in the loops' iterations",
            "write counts[symbol]: where it goes is not affine in the loops' iterations",
            "write totals[tile]: no loop over threads is around it",
            "write words[begin / 32 + i]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/hybridsort/hybridsort.c",
        arguments: "--generate 300 1", // one bucket, of 320 slots
        sizes: &["count=300"],
        launches: || {
            let slots = |kernel| launches_of(kernel, each(&["count"], [vec![320]]));
            [
                vec![Vec::new()],
                slots("clear"),
                slots("merge"),
                slots("gather"),
            ]
            .concat()
        },
        unpredicted: &[
            "read counts[bin_of(values[i], least, scale)]: where it goes is not affine in the loops' iterations",
            "read firsts[bucket + 1]: where it goes is not affine in the loops' iterations",
            "read firsts[bucket]: where it goes is not affine in the loops' iterations",
            "read next[bucket]: where it goes is not affine in the loops' iterations",
            "read of_bins[bin_of(values[i], least, scale)]: where it goes is not affine in the loops' iterations",
            "read of_tiles[i / TILE]: where it goes is not affine in the loops' iterations",
            "read slots[i]: which threads take part, or how often, is not affine in the loops' iterations",
            "read starts[bucket + 1]: where it goes is not affine in the loops' iterations",
            "read starts[bucket]: where it goes is not affine in the loops' iterations",
            "read values_before(from, low, high, from[i], run % 2): a function accesses it",
            "write counts[bin_of(values[i], least, scale)]: where it goes is not affine in the loops' iterations",
            "write next[bucket]: where it goes is not affine in the loops' iterations",
            "write slots[slot]: where it goes is not affine in the loops' iterations",
            "write to[i - run % 2 * width + before]: where it goes is not affine in the loops' iterations",
            "write values[place]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/hybridsort/hybridsort_fcw.c",
        arguments: "--generate 300 1", // one bucket, of 512 slots
        sizes: &["count=300", "tiles=1", "buckets=1", "from=512"],
        launches: || {
            let slots = |kernel| launches_of(kernel, each(&["count"], [vec![512]]));
            let tiles = launches_of("scatter", each(&["tiles"], [vec![2]]));
            let sorting = [slots("clear"), slots("sort_tiles"), slots("merge")].concat();
            [vec![Vec::new()], tiles, sorting, slots("gather")].concat()
        },
        unpredicted: &[
            "read counts[bin]: where it goes is not affine in the loops' iterations",
            "read firsts[bucket + 1]: where it goes is not affine in the loops' iterations",
            "read firsts[bucket]: where it goes is not affine in the loops' iterations",
            "read next[b]: where it goes is not affine in the loops' iterations",
            "read of_bins[bin_of(values[i], least, scale)]: where it goes is not affine in the loops' iterations",
            "read of_tiles[i / TILE]: where it goes is not affine in the loops' iterations",
            "read slots[i]: which threads take part, or how often, is not affine in the loops' iterations",
            "read starts[bucket + 1]: where it goes is not affine in the loops' iterations",
            "read starts[bucket]: where it goes is not affine in the loops' iterations",
            "read values[i]: where it goes is not affine in the loops' iterations",
            "read values_before(from, low, high, from[i], run % 2): a function accesses it",
            "write counts[bin]: where it goes is not affine in the loops' iterations",
            "write next[b]: where it goes is not affine in the loops' iterations",
            "write slots[tile_counts[bucket] + slot]: where it goes is not affine in the loops' iterations",
            "write to[i - run % 2 * width + before]: where it goes is not affine in the loops' iterations",
            "write values[place]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/myocyte/myocyte.c",
        arguments: "75 2 1",
        sizes: &["count=75"],
        launches: || each(&["ms"], [vec![0], vec![1]]),
        unpredicted: &[
            "read try_step(cell, stimulus, length, weights, now, next): a function accesses it",
        ],
        in_functions: &["read at line 21"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/myocyte/myocyte_fcw.c",
        arguments: "75 2 1",
        sizes: &["count=75", "weights=14"],
        launches: || each(&["ms"], [vec![0], vec![1]]),
        ..PROGRAM
    },
    Program {
        source: "benchmarks/myocyte/myocyte_cache.c",
        arguments: "75 2 1",
        sizes: &["count=75", "weights=14"],
        launches: || each(&["ms"], [vec![0], vec![1]]),
        ..PROGRAM
    },
    Program {
        source: "benchmarks/particlefilter/particlefilter.c",
        arguments: "67 131 2 300 1",
        sizes: &["rows=67", "columns=131", "particles=300", "pixels=69"],
        launches: || [vec![Vec::new()], prefix_sums(300)].concat(),
        unpredicted: &[
            "read frame[row][column]: where it goes is not affine in the loops' iterations",
            "read from[low]: where it goes is not affine in the loops' iterations",
            "read sums[middle]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/particlefilter/particlefilter_fcw.c",
        arguments: "67 131 2 300 1",
        sizes: &[
            "rows=67",
            "columns=131",
            "particles=300",
            "pixels=69",
            "tiles=3",
            "offsets=69",
        ],
        launches: || [vec![Vec::new()], prefix_sums(3)].concat(),
        unpredicted: &[
            "read first_above(sums, tile * TILE, end - 1, mark - before): a function accesses it",
            "read first_above(totals, 0, tiles - 1, mark): a function accesses it",
            "read frame[row][column]: where it goes is not affine in the loops' iterations",
            "read from[first_above(sums, tile * TILE, end - 1, mark - before)]: where it goes is not affine in the loops' iterations",
            "read totals[tile - 1]: where it goes is not affine in the loops' iterations",
            "write back sums[i]: which slots are written back depends on what threads have written",
            "write totals[i / TILE]: where it goes is not affine in the loops' iterations",
        ],
        in_functions: &["read at line 104"],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/particlefilter/particlefilter_cache.c",
        arguments: "67 131 2 300 1",
        sizes: &[
            "rows=67",
            "columns=131",
            "particles=300",
            "pixels=69",
            "offsets=69",
        ],
        launches: || [vec![Vec::new()], prefix_sums(300)].concat(),
        unpredicted: &[
            "read frame[row][column]: where it goes is not affine in the loops' iterations",
            "read from[low]: where it goes is not affine in the loops' iterations",
            "read sums[middle]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/streamcluster/streamcluster.c",
        arguments: "5 4 6 400 1 --generate 333",
        sizes: &["count=333", "dimensions=5"],
        unpredicted: &[
            "read assigned[i]: which threads take part, or how often, is not affine in the loops' iterations",
            "read costs[i]: which threads take part, or how often, is not affine in the loops' iterations",
            "read losses[assigned[i]]: where it goes is not affine in the loops' iterations",
            "read moves[assigned[i]]: where it goes is not affine in the loops' iterations",
            "write costs[i]: which threads take part, or how often, is not affine in the loops' iterations",
            "write losses[assigned[i]]: where it goes is not affine in the loops' iterations",
            "write losses[c]: not all sizes are known",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/streamcluster/streamcluster_fcw.c",
        arguments: "5 4 6 400 1 --generate 333",
        sizes: &[
            "count=333",
            "dimensions=5",
            "tiles=3",
            "places=5",
            "candidate=0",
        ],
        unpredicted: &[
            "read assigned[i]: which threads take part, or how often, is not affine in the loops' iterations",
            "read costs[i]: which threads take part, or how often, is not affine in the loops' iterations",
            "read losses[c]: where it goes is not affine in the loops' iterations",
            "read moves[assigned[i]]: where it goes is not affine in the loops' iterations",
            "write costs[i]: which threads take part, or how often, is not affine in the loops' iterations",
            "write losses[c]: not all sizes are known",
            "write losses[c]: where it goes is not affine in the loops' iterations",
        ],
        ..PROGRAM
    },
    Program {
        source: "benchmarks/streamcluster/streamcluster_cache.c",
        arguments: "5 4 6 400 1 --generate 333",
        sizes: &["count=333", "dimensions=5", "places=5", "candidate=0"],
        unpredicted: &[
            "read assigned[i]: which threads take part, or how often, is not affine in the loops' iterations",
            "read costs[i]: which threads take part, or how often, is not affine in the loops' iterations",
            "read losses[assigned[i]]: where it goes is not affine in the loops' iterations",
            "read moves[assigned[i]]: where it goes is not affine in the loops' iterations",
            "write costs[i]: which threads take part, or how often, is not affine in the loops' iterations",
            "write losses[assigned[i]]: where it goes is not affine in the loops' iterations",
            "write losses[c]: not all sizes are known",
        ],
        ..PROGRAM
    },
];
