//! Stencils over planes and volumes: windows that are only read change no result, whatever tiles kernels have.
//!
//! Each iteration stores a sum of reads around its own place. The array is copied by the construct, by its
//! caller, or lies in static memory; the loops leave a border, or reads are conditional at the edges; a
//! directive asks for the window, or none. `ACCRS_STENCILS=N` runs more functions, from
//! `ACCRS_STENCILS_SEED` on.

use std::fmt::Write as _;

use crate::random::Random;
use crate::serial::Functions;

/// Functions that are run without a request.
const FUNCTIONS: u64 = 32;

/// The furthest that a read is from its iteration's place.
const REACH: i64 = 2;

/// The loops, outermost first.
const VARIABLES: &[&str] = &["i", "j", "k"];

/// Where arrays are.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Copied,
    Present,
    Static,
}

struct Stencil {
    random: Random,
    element: &'static str,
    sizes: Vec<i64>,
    place: Place,
    /// Iterations left out at the ends of each loop.
    border: i64,
}

impl Stencil {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let dimensions = if random.chance(1, 4) { 3 } else { 2 };
        let most = if dimensions == 3 { 20 } else { 75 };
        let sizes = (0..dimensions).map(|_| random.between(1, most));
        Self {
            sizes: sizes.collect(),
            element: random.of(&["int", "short", "long", "unsigned char"]),
            place: random.of(&[Place::Copied, Place::Present, Place::Static]),
            border: random.between(0, REACH),
            random,
        }
    }

    fn variables(&self) -> &'static [&'static str] {
        &VARIABLES[..self.sizes.len()]
    }

    /// `[r][c]` of an array: with a length in each, or a section.
    fn dimensions(&self, of: impl Fn(usize) -> String) -> String {
        let all = (0..self.sizes.len()).map(|d| format!("[{}]", of(d)));
        all.collect()
    }

    /// A read some places away, and the condition under which there is an element.
    fn read(&mut self, reaches: &mut [(i64, i64)]) -> String {
        let variables = self.variables();
        let (mut index, mut tests) = (String::new(), Vec::new());
        for (depth, variable) in variables.iter().enumerate() {
            let away = match self.random.chance(1, 2) {
                true => self.random.between(-REACH, REACH),
                false => 0,
            };
            let reach = &mut reaches[depth];
            *reach = (reach.0.max(-away), reach.1.max(away));
            match away {
                0 => index += &format!("[{variable}]"),
                away if away < 0 => index += &format!("[{variable} - {}]", -away),
                away => index += &format!("[{variable} + {away}]"),
            }
            if -away > self.border {
                tests.push(format!("{variable} >= {}", -away));
            }
            if away > self.border {
                tests.push(format!("{variable} < n{depth} - {away}"));
            }
        }
        match tests.is_empty() {
            true => format!("(long)a{index}"),
            false => format!("({} ? (long)a{index} : 7)", tests.join(" && ")),
        }
    }

    /// The window's directive, behind the head of the innermost loop.
    fn directive(&mut self, reaches: &[(i64, i64)]) -> String {
        let each = |write: &dyn Fn(&str, i64, i64) -> String| -> String {
            let all = self.variables().iter().zip(reaches);
            let all = all.map(|(variable, (before, after))| write(variable, *before, *after));
            all.collect::<Vec<_>>().join("")
        };
        let parts = each(&|variable, before, after| format!("{variable}:{before}:{after}:"));
        let parts = parts.trim_end_matches(':').to_owned();
        let sections = each(&|variable, before, after| {
            format!("[{variable} - {before}:{}]", before + after + 1)
        });
        match self.random.between(0, 3) {
            0 | 1 => format!("#pragma acc fcw FETCH_ONLY(a[{parts}])\n"),
            2 => format!("#pragma acc cache(a{sections})\n"),
            _ => String::new(),
        }
    }

    /// The construct.
    fn construct(&mut self) -> String {
        let mut reaches = vec![(0, 0); self.sizes.len()];
        let reads = self.random.between(2, 5);
        let reads: Vec<String> = (0..reads).map(|_| self.read(&mut reaches)).collect();
        let window = self.directive(&reaches);
        let section = self.dimensions(|d| format!("0:n{d}"));
        let data = match self.place {
            Place::Copied => format!(" copyin(a{section}) copy(b{section})"),
            Place::Present => " present(a, b)".to_owned(),
            Place::Static => " copyin(a) copy(b)".to_owned(),
        };
        let vectors: &[&str] = match self.random.between(0, 2) {
            0 => &["", ""],
            1 => &[" vector(8)", " vector(32)"],
            _ => &[" vector(2)", " vector(64)"],
        };
        let mut text = format!("    #pragma acc kernels{data}\n");
        let variables = self.variables();
        let last = variables.len() - 1;
        for (depth, variable) in variables.iter().enumerate() {
            let vector = match depth {
                _ if depth == last => vectors[1],
                _ if depth + 1 == last => vectors[0],
                _ => "",
            };
            let _ = write!(
                text,
                "    #pragma acc loop independent{vector}\n    \
                 for (int {variable} = {border}; {variable} < n{depth} - {border}; {variable}++)\n",
                border = self.border,
            );
        }
        let own: String = variables.iter().map(|v| format!("[{v}]")).collect();
        let sum = reads.join(" * 3 + ");
        // A `cache` directive stands in the loop's body.
        match window.contains("fcw") {
            true => text + "    " + &window + &format!("    {{ b{own} += {sum}; }}\n"),
            false => text + "    {\n    " + &window + &format!("    b{own} += {sum};\n    }}\n"),
        }
    }
}

/// `run{seed}`, and what it calls.
fn function(seed: u64, text: &mut String) {
    let mut stencil = Stencil::new(seed);
    let construct = stencil.construct();
    let element = stencil.element;
    let lengths = stencil.dimensions(|d| format!("n{d}"));
    let inner = lengths.split_once(']').map_or("", |(_, inner)| inner);
    let constants: String = (stencil.sizes.iter().enumerate())
        .map(|(d, size)| format!("n{d} = {size}, "))
        .collect();
    let parameters: String = (0..stencil.sizes.len())
        .map(|d| format!("int n{d}, "))
        .collect();
    let arguments: String = (0..stencil.sizes.len())
        .map(|d| format!("n{d}, "))
        .collect();
    let section = stencil.dimensions(|d| format!("0:n{d}"));
    let all: i64 = stencil.sizes.iter().product();
    let constants_end = constants.trim_end_matches(", ");
    let (declarations, definition, call) = match stencil.place {
        Place::Static => {
            let renamed = construct.replace("a[", &format!("a{seed}["));
            let renamed = renamed.replace("b[", &format!("b{seed}["));
            let renamed = renamed.replace("(a)", &format!("(a{seed})"));
            let renamed = renamed.replace("(b)", &format!("(b{seed})"));
            let sizes = stencil.dimensions(|d| stencil.sizes[d].to_string());
            (
                format!("static {element} a{seed}{sizes}, b{seed}{sizes};\n"),
                format!(
                    "static void step{seed}({})\n{{\n{renamed}}}\n",
                    parameters.trim_end_matches(", ")
                ),
                format!(
                    "    {element} *const x = ({element} *)a{seed}, *const y = ({element} *)b{seed};\n    \
                     FILL step{seed}({});\n",
                    arguments.trim_end_matches(", ")
                ),
            )
        }
        place => {
            let data = match place {
                Place::Present => {
                    format!("    #pragma acc data copyin(a{section}) copy(b{section})\n")
                }
                _ => String::new(),
            };
            (
                String::new(),
                format!(
                    "static void step{seed}({parameters}const {element} (*restrict a){inner}, \
                     {element} (*restrict b){inner})\n{{\n{construct}}}\n"
                ),
                format!(
                    "    static {element} x[{all}], y[{all}];\n    \
                     const {element} (*a){inner} = (const {element} (*){inner})x;\n    \
                     {element} (*b){inner} = ({element} (*){inner})y;\n    FILL\n{data}    \
                     step{seed}({arguments}a, b);\n"
                ),
            )
        }
    };
    let fill = format!(
        "for (int e = 0; e < {all}; e++) {{ x[e] = e * 37 % 101 - 50; y[e] = e % 13; }}\n    "
    );
    let _ = write!(
        text,
        "{declarations}{definition}static void run{seed}(void)\n{{\n    \
         enum {{ {constants_end} }};\n    unsigned long all = 0;\n{call}    \
         for (int e = 0; e < {all}; e++) all = all * 31 + (unsigned long)y[e];\n    \
         printf(\"%lx\\n\", all);\n}}\n",
        call = call.replace("FILL", &fill),
    );
}

/// Results are those of the serial program, in each order.
pub fn windows_that_are_only_read_change_nothing() -> Result<(), String> {
    let first = crate::setting("ACCRS_STENCILS_SEED", 1)?;
    let end = first + crate::setting("ACCRS_STENCILS", FUNCTIONS)?;
    let all = Functions {
        head: "",
        function,
        options: &[],
        choices: &["--cache=trust"],
        signs: |kernels| kernels.matches("#pragma unroll").count(),
    };
    all.are_serial(first..end)
}
