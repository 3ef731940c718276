//! Blocks whose size the launch may choose: any choice computes the same, and clauses keep theirs.

use super::{Folder, text};

/// One, two and three dimensions, extents that nothing divides, a short loop along x; then a clause,
/// a number of gangs, and a reduction.
const PROGRAM: &str = "
#include <stdio.h>
int line[1001], area[37][41], space[5][7][43], narrow[300][3], asked[1001], gangs[1001];
int main(void)
{
    long sum = 0;
    #pragma acc parallel loop
    for (int i = 0; i < 1001; i++)
        line[i] = 3 * i;
    #pragma acc parallel loop collapse(2)
    for (int i = 0; i < 37; i++)
        for (int j = 0; j < 41; j++)
            area[i][j] = 100 * i + j;
    #pragma acc parallel loop collapse(3)
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 7; j++)
            for (int k = 0; k < 43; k++)
                space[i][j][k] = 10000 * i + 100 * j + k;
    #pragma acc parallel loop collapse(2)
    for (int i = 0; i < 300; i++)
        for (int j = 0; j < 3; j++)
            narrow[i][j] = 3 * i - j;
    #pragma acc parallel loop vector_length(256)
    for (int i = 0; i < 1001; i++)
        asked[i] = i;
    #pragma acc parallel loop num_gangs(2)
    for (int i = 0; i < 1001; i++)
        gangs[i] = i;
    #pragma acc parallel loop reduction(+:sum)
    for (int i = 0; i < 1001; i++)
        sum += line[i];
    for (int i = 0; i < 1001; i++)
        sum = 31 * (sum ^ line[i] ^ asked[i] ^ gangs[i]) % 1000003;
    for (int i = 0; i < 37; i++)
        for (int j = 0; j < 41; j++)
            sum = 31 * (sum ^ area[i][j]) % 1000003;
    for (int i = 0; i < 35; i++)
        for (int j = 0; j < 43; j++)
            sum = 31 * (sum ^ space[i / 7][i % 7][j]) % 1000003;
    for (int i = 0; i < 900; i++)
        sum = 31 * (sum ^ narrow[i / 3][i % 3]) % 1000003;
    printf(\"%ld\\n\", sum);
    return 0;
}
";

/// The blocks of a run's launches, and what it prints.
fn run(folder: &Folder, threads: &str) -> (Vec<String>, String) {
    let output = folder
        .command(folder.file("program"))
        .env("ACCRS_BLOCK", threads)
        .env("ACCRS_TRACE", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let trace = String::from_utf8_lossy(&output.stderr).into_owned();
    let launches = trace
        .lines()
        .filter(|line| line.contains("trace: launch") && line.contains("_kernel"));
    let block = |line: &str| {
        let word = line.split(' ').find_map(|word| word.strip_prefix("block="));
        word.unwrap().to_owned()
    };
    let blocks = launches.map(block).collect();
    (blocks, String::from_utf8(output.stdout).unwrap())
}

#[test]
fn no_choice_changes_a_result() {
    let folder = Folder::with(&[("program.c", PROGRAM)]);
    folder.succeed("cc --device=emulated -o program program.c");
    let fixed = ["256,1,1", "256,1,1", "256,1,1"];
    let (blocks, result) = run(&folder, "");
    let own = ["256,1,1", "32,8,1", "32,4,2", "4,64,1"];
    assert_eq!(blocks, [own.as_slice(), &fixed].concat());
    let chosen = [
        ("256", own),
        ("128", ["128,1,1", "32,4,1", "32,4,1", "4,32,1"]),
        ("100", ["64,1,1", "32,2,1", "32,2,1", "4,16,1"]),
        ("32", ["32,1,1", "32,1,1", "32,1,1", "4,8,1"]),
        ("3", ["2,1,1", "2,1,1", "2,1,1", "2,1,1"]),
    ];
    for (threads, expected) in chosen {
        let (blocks, found) = run(&folder, threads);
        assert_eq!(blocks, [expected.as_slice(), &fixed].concat(), "{threads}");
        assert_eq!(found, result, "{threads}");
    }
    let wrong = folder
        .command(folder.file("program"))
        .env("ACCRS_BLOCK", "many")
        .output()
        .unwrap();
    assert_eq!(wrong.status.code(), Some(1));
    assert!(
        text(&wrong).contains("ACCRS_BLOCK is 'many'"),
        "{}",
        text(&wrong)
    );
}
