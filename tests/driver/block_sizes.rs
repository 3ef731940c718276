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

/// More rows than blocks along y: a row a block, with threads that meet and without, and gangs.
const TALL: &str = "
#include <stdio.h>

#define ROWS 65600

/* Blocks of one row: those beyond 65,535 along y lie along z. */
static void tall(int rows, int columns, int (*a)[columns])
{
    #pragma acc parallel loop tile(32, 1) copy(a[0:rows][0:columns])
    for (int i = 2; i < rows; i++)
        for (int j = 0; j < columns; j++)
            a[i][j] += i * 3 + j;
}

/* The same around a window, whose threads meet. */
static void tall_windows(int rows, int columns, const int (*restrict a)[columns], int (*restrict b)[columns])
{
    #pragma acc kernels copyin(a[0:rows][0:columns]) copy(b[0:rows][0:columns])
    #pragma acc loop independent vector(1)
    for (int i = 0; i < rows; i++) {
        #pragma acc loop independent vector(8)
        for (int j = 1; j < columns - 1; j++) {
            #pragma acc fcw FETCH_ONLY(a[i:0:0:j:1:1])
            b[i][j] = a[i][j - 1] - 2 * a[i][j] + a[i][j + 1];
        }
    }
}

/* A block for each row of two dimensions. */
static void tall_gangs(int rows, int *a)
{
    #pragma acc parallel loop gang collapse(2) vector_length(32) copy(a[0:4 * rows])
    for (int i = 0; i < rows; i++)
        for (int h = 0; h < 2; h++) {
            const int first = 4 * i + 2 * h;
            #pragma acc loop vector
            for (int k = 0; k < 2; k++)
                a[first + k] ^= i + h;
        }
}

int main(void)
{
    enum { COLUMNS = 5 };
    static int a[ROWS][COLUMNS], b[ROWS][COLUMNS];
    int wrong = 0;

    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            a[i][j] = (i * 37 + j) % 1009;
    tall(ROWS, COLUMNS, a);
    tall_windows(ROWS, COLUMNS, (const int (*)[COLUMNS])a, b);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            wrong += a[i][j] != (i * 37 + j) % 1009 + (i < 2 ? 0 : i * 3 + j);
            wrong += b[i][j] != (j == 0 || j == COLUMNS - 1 ? 0 : a[i][j - 1] - 2 * a[i][j] + a[i][j + 1]);
        }
    tall_gangs(ROWS, &b[0][0]);
    for (int i = 0; i < 4 * ROWS; i++) {
        const int row = i / COLUMNS, j = i % COLUMNS;
        const int before = j == 0 || j == COLUMNS - 1 ? 0 : a[row][j - 1] - 2 * a[row][j] + a[row][j + 1];
        wrong += b[row][j] != (before ^ (i / 4 + i / 2 % 2));
    }
    printf(\"%d\\n\", wrong);
    return 0;
}
";

#[test]
fn blocks_beyond_those_along_y_lie_along_z() {
    let folder = Folder::with(&[("tall.c", TALL)]);
    folder.succeed("cc --device=emulated -o tall tall.c");
    let tall = folder
        .command(folder.file("tall"))
        .env("ACCRS_TRACE", "1")
        .output()
        .unwrap();
    let trace = String::from_utf8_lossy(&tall.stderr);
    let grids = trace.split(' ').filter(|word| word.starts_with("grid="));
    let expected = ["grid=1,32799,2", "grid=1,32800,2", "grid=2,32800,2"];
    assert_eq!(grids.collect::<Vec<_>>(), expected, "{trace}");
    assert_eq!(tall.stdout, b"0\n");
}
