//! The registry of diagnostic codes.
//!
//! `A01xx` source and preprocessing, `A02xx` syntax, `A03xx` C semantics,
//! `A04xx` directives, `A05xx` analysis and passes, `A06xx` code
//! generation, `A07xx` driver and environment. Each code has a page in
//! `docs/explain/CODE.md`.

/// Declares the constants and the list of all of them with their one-line
/// titles, so that neither can forget one.
macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal;)*) => {
        $(
            #[doc = $title]
            pub const $name: super::Code = super::Code($code);
        )*
        /// Every code with its title, in order.
        pub const ALL: &[(super::Code, &str)] = &[$(($name, $title)),*];
    };
}

codes! {
    // A01xx: source and preprocessing
    INVALID_UTF8 = "A0101", "the source is not valid UTF-8";
    UNREADABLE = "A0102", "the source file cannot be read";
    PREPROCESSOR = "A0103", "the preprocessor rejects the file";
    UNTERMINATED = "A0104", "a comment, string or character constant does not end";
    CONTROL_CHARACTER = "A0105", "a control character stands outside comments and strings";
    UNBALANCED_DIRECTIVE = "A0106", "a bracket of a directive has no partner";
    RESERVED_NAME = "A0107", "an identifier begins with __accrs_";
    NO_EXACT_PLACE = "A0108", "a region or directive cannot be found exactly in the file";
    NOT_IN_PLACE = "A0109", "an included file with constructs cannot be read in place";
    // A02xx: syntax
    SYNTAX = "A0201", "the text is not C";
    NESTING_TOO_DEEP = "A0202", "brackets, operators or statements nest too deep";
    DIRECTIVE_SYNTAX = "A0203", "a directive cannot be read";
    DIRECTIVE_WITHOUT_STATEMENT = "A0204", "a directive is not followed by a statement";
    MISPLACED_DIRECTIVE = "A0205", "a directive stands where none can";
    // A03xx: C semantics
    UNDECLARED = "A0301", "a name is used that was not declared";
    NO_MEMBER = "A0302", "a struct or union has no such member";
    NOT_CALLABLE = "A0303", "something that is no function is called";
    ARGUMENT_COUNT = "A0304", "a call has too few or too many arguments";
    INVALID_OPERANDS = "A0305", "an operator does not apply to its operands";
    INCOMPLETE_TYPE = "A0306", "a type is used whose content is not known";
    REDEFINITION = "A0307", "a name is declared in two ways that do not agree";
    NOT_ASSIGNABLE = "A0308", "something that cannot be changed is assigned to";
    TYPE_MISMATCH = "A0309", "a value does not convert to the type that is needed";
    NOT_CONSTANT = "A0310", "a constant expression is needed";
    MISPLACED_STATEMENT = "A0311", "a statement stands where it means nothing";
    DUPLICATE_LABEL = "A0312", "a label occurs twice";
    UNKNOWN_LABEL = "A0313", "a goto has no label to go to";
    INVALID_TYPE = "A0314", "a declaration forms no type";
    INVALID_INITIALIZER = "A0315", "an initialiser does not fit what it initialises";
    STATIC_ASSERTION = "A0316", "a static assertion does not hold";
    INVALID_CONSTANT = "A0317", "a constant is malformed or out of range";
    // A04xx: directives
    UNKNOWN_DIRECTIVE = "A0401", "no such directive";
    NOT_SUPPORTED_YET = "A0402", "a valid construct that is not supported yet";
    UNKNOWN_CLAUSE = "A0403", "no such clause";
    CLAUSE_NOT_ALLOWED = "A0404", "a clause does not belong on this directive";
    DUPLICATE_CLAUSE = "A0405", "a clause or a variable in clauses is repeated";
    CLAUSE_ARGUMENT = "A0406", "the argument of a clause is missing or malformed";
    BAD_SECTION = "A0407", "a section of an array is missing or malformed";
    NOT_A_VARIABLE = "A0408", "a clause names something that is no declared variable";
    REDUCTION_TYPE = "A0409", "a reduction operator does not fit the variable's type";
    EXPECTED_LOOP = "A0410", "a loop directive is not followed by its loop";
    NOT_CANONICAL = "A0411", "the trip count of a loop is not known when it starts";
    JUMP = "A0412", "a jump leaves or enters a region";
    COLLAPSE = "A0413", "loops cannot be collapsed";
    LEVEL_NESTING = "A0414", "levels of parallelism are nested in the wrong order";
    DIRECTIVE_OUT_OF_PLACE = "A0415", "a directive stands where it cannot";
    CLAUSE_CONFLICT = "A0416", "two clauses contradict each other";
    DEFAULT_NONE = "A0417", "default(none) and a variable without a clause";
    NOT_ON_DEVICE = "A0418", "something that a device cannot do is used in a region";
    DEVICE_GLOBAL = "A0419", "a device function uses a global variable";
    EXPECTED_STATEMENT = "A0420", "a directive is not followed by a statement";
    LEVEL_SIZE = "A0421", "a size on a level of a parallel construct";
    ATOMIC_FORM = "A0422", "an atomic directive is not followed by a statement of its form";
    ATOMIC_OBJECT = "A0423", "an object cannot be accessed atomically";
    IMPLIED_REDUCTION = "A0424", "a loop does a reduction without the clause";
    LONG_DOUBLE = "A0425", "a construct uses long double, which GPUs do not have";
    REDUCED_BY_ONE = "A0426", "a loop runs in one thread, since its reduction has no copies";
    IMPLIED_SECTION = "A0427", "what is copied of a pointer without a data clause";
    MISSPELT_PREFIX = "A0428", "a pragma seems to be a directive and is none";
    UNWRITTEN_REDUCTION = "A0429", "a reduction begins with memory that is never written";
    WINDOW_PLACE = "A0430", "fcw or fcw_barrier stands where no block shares iterations";
    LOOP_IN_WINDOWS = "A0431", "a parallel loop stands inside an fcw region";
    WINDOW_TYPE = "A0432", "a type of fcw is missing or unknown";
    WINDOW_FORM = "A0433", "a window does not give pivot, before and after for each dimension";
    WINDOW_ARRAY = "A0434", "a window of something that is no array";
    FETCH_ONLY_WRITTEN = "A0435", "an array is written whose window is only fetched";
    WINDOW_ESCAPES = "A0436", "an array with a window is used otherwise than by its elements";
    WINDOW_IN_CALLEE = "A0437", "a function called in an fcw region uses a listed array itself";
    WINDOW_QUALIFIER = "A0438", "a window of a volatile or _Atomic array";
    NOT_RESTRICT = "A0439", "a pointer written through its window may have another name";
    CHANNEL_WRITE = "A0440", "a write to a channel is no statement of its own";
    BARRIER_CONTROL = "A0441", "a goto or switch leads around a barrier";
    TWO_WINDOWS = "A0442", "an array has two windows at once";
    WINDOW_COUNT = "A0444", "the number of elements around a pivot is negative or varies";
    UNPAIRED = "A0450", "a kernel or singular section has no end, or an end no beginning";
    NOT_PLACED = "A0451", "a kernel uses an array that no directive puts on the device";
    ALLOCATION = "A0452", "device memory is allocated, copied or freed out of order";
    LOST_SCALAR = "A0453", "what a kernel writes or declares is used after it";
    PARTITION_LEVEL = "A0454", "a partition has no dimension of the kernel left";
    SINGULAR = "A0455", "a singular section has what all threads take part in";
    NO_SHAPE = "A0456", "a pointer has no shape, or a wrong one";
    TWO_DIALECTS = "A0457", "a function has directives of two dialects";
    OUTSIDE_SECTION = "A0458", "a kernel accesses what is not on the device of an array";
    ONE_THREADS_VALUE = "A0459", "all threads read a value that one of them has";
    MISSING_BARRIER = "A0460", "shared memory is used before the threads that fill it have met";
    PARTIAL_REDUCTION = "A0461", "a reduction over threads that do not share its loops";
    AUTO_CTA = "A0462", "a pragma AUTO-CTA has no launch, or no number of threads";
    AUTO_CTA_DOUBT = "A0463", "a launch under AUTO-CTA keeps its configuration";
    TEXTURE_REFERENCE = "A0464", "a texture reference, which CUDA has given up";
    MESI_VARIABLE = "A0465", "a variable that host and device cannot share";
    MESI_ESCAPE = "A0466", "shared memory is used where it cannot be brought up to date";
    MESI_GRID = "A0467", "a launch or kernel of logical threads is wrong";
    MESI_WHOLE = "A0468", "a logical grid is not split over devices";
    DEPENDENCE = "A0469", "a loop that is said to be independent carries a dependence";
    LOST_WRITES = "A0470", "what a construct writes is not copied back";
    FOREIGN_PRAGMA = "A0471", "a pragma of OpenMP stands where OpenACC's directives are";
    LONG_SECTION = "A0472", "a section is longer than what the loops touch";
    DEVICE_FORMAT = "A0473", "a printf in a kernel prints other arguments than it has";
    LOST_VALUE = "A0474", "a scalar has its old value behind a construct that assigns it";
    REDUCTION_MISFIT = "A0475", "a clause for a variable does not fit what the loop does with it";
    REDUNDANT_UPDATE = "A0476", "each gang of a construct makes the updates of a loop";
    UNFILLED_MEMORY = "A0477", "device memory is read that nothing has filled";
    // A05xx: analysis and passes
    LOOP_MAPPING = "A0500", "what became of a loop";
    BLOCK_TOO_LARGE = "A0501", "more threads were asked for than a block can have";
    SHARED_TOO_LARGE = "A0502", "a variable of a gang does not fit in shared memory";
    IRREGULAR_CONTROL = "A0503", "control flow around a worker or vector loop that is not structured";
    INVALID_IR = "A0504", "the translator broke one of its own rules";
    RUN_TIME_SIZE = "A0505", "the size of an array in a kernel is not known when it is launched";
    GANGS_DEPEND = "A0506", "loops over gangs in one construct depend on each other";
    PIVOT_UNKNOWN = "A0510", "how a pivot differs between the threads of a block is not known";
    WINDOW_BOUND = "A0511", "the size of a window is not known or negative";
    WINDOW_TOO_LARGE = "A0512", "windows do not fit in shared memory";
    OUTSIDE_WINDOW = "A0513", "an access is outside the array's window";
    WINDOW_TWICE = "A0516", "an array has several windows, and it is not known which is meant";
    WINDOW_DECISION = "A0517", "what became of a window";
    ROWS_UNKNOWN = "A0518", "rows behind pointers are fetched, and which there are is not known";
    NEST_OF_WINDOWS = "A0520", "loops around windows that a block cannot share";
    BLOCK_OVER_LIMIT = "A0521", "a block that shares windows would have more than 1024 threads";
    MEMORY_REQUESTS = "A0530", "how the threads of a warp access memory together";
    AXIS_CHOICE = "A0531", "which loop of a nest runs along x";
    MEMORY_PLACEMENT = "A0532", "which memory an array is read from";
    PLACEMENT_REFUSED = "A0533", "an array cannot be read from the memory that was asked for";
    OCCUPANCY = "A0534", "how a kernel's blocks fill a multiprocessor";
    LOOP_EXCHANGE = "A0535", "whether a loop within a thread becomes a dimension of threads";
    NEEDLESS_TRANSFER = "A0536", "memory or a transfer that nothing needs";
    AUTO_CTA_CHOICE = "A0537", "a launch whose blocks are chosen when it is reached";
    MESI_MAPPING = "A0538", "how logical threads lie in blocks";
    DATA_MOVEMENT = "A0539", "what is copied between host and device";
    CONTENTION = "A0540", "an atomic update that all threads make at one address";
    // A06xx: code generation
    TEMPLATE = "A0601", "a template of accrs is broken";
    NOT_CUDA = "A0602", "the code has no counterpart in CUDA C++";
    INEXACT_PLACE = "A0603", "a directive cannot be replaced because its text is not in the file";
    // A07xx: driver and environment
    NO_COMPILER = "A0701", "no C compiler was found";
    NO_CXX_COMPILER = "A0702", "no C++ compiler was found";
    NO_NVCC = "A0703", "no nvcc was found";
    NO_GPU = "A0704", "there is no GPU";
    OUTPUT_UNWRITABLE = "A0705", "an output cannot be written";
    OUTPUT_OCCUPIED = "A0706", "a file that accrs did not write is in the way";
    GENERATED_CODE = "A0707", "a later compiler rejects the generated code";
    CACHE = "A0708", "the cache cannot be used";
    BAD_USAGE = "A0709", "the command line is wrong";
    MIXED_TARGETS = "A0710", "objects for different devices or memory are linked together";
    TOOL_NOT_RUNNABLE = "A0711", "a tool cannot be started";
    OPTION_NOT_SUPPORTED = "A0712", "an option is not supported yet";
    MAKEFILE_PATH = "A0713", "a path cannot be written in a makefile";
    RUNTIME_BUILD = "A0714", "the runtime library does not build";
    INTERNAL = "A0715", "accrs itself failed";
    ROUTINE_MISSING = "A0716", "no file has a routine that device code calls";
    DEVICE_CODE_JOINED = "A0717", "objects that share routines are joined by -r";
    BENCHMARK_FAILED = "A0718", "a form of a benchmark has no result or a wrong one";
    NOT_C = "A0719", "a file is in a language that accrs does not translate";
    // A072x and A073x: what `check --dynamic` and `--compare` find
    DIVERGENT_BARRIER = "A0720", "a barrier is not reached by all threads of a block";
    RACE_SHARED = "A0721", "threads of a block race for shared memory";
    RACE_DEVICE = "A0722", "threads or blocks race for device memory";
    UNINITIALISED = "A0723", "memory is read on the device before it is written";
    OUT_OF_BOUNDS = "A0724", "a kernel accesses what lies outside an array or window";
    HOST_POINTER = "A0725", "a kernel uses a pointer that is none of the device";
    PROGRAM_FAILED = "A0726", "a program failed while it was watched";
    SHIFT = "A0727", "a value is shifted by as many places as it has bits, or more";
    STALE = "A0728", "an old value is read where another memory has a newer one";
    NO_VALUE = "A0729", "the host gets from the device what has no value there";
    RACE_QUEUES = "A0730", "what two queues do, or a queue and the host, has no order";
    SECTION_OUTSIDE = "A0731", "a section leaves the allocation or variable that it begins in";
    UNASSIGNED = "A0732", "a kernel uses a variable of its own that has no value yet";
    COMPARED = "A0733", "a construct has other results on the device than on the host";
    NEEDLESS_UPDATE = "A0734", "an update copies what the other memory has already";
    NOT_WATCHED = "A0735", "a program has code that the checks do not see";
    NO_OPENMP = "A0736", "the C compiler has no OpenMP, which the host's cores share loops by";
    LATE_QUEUES = "A0737", "the output depends on when queues do their work";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_ascend() {
        assert!(ALL.is_sorted_by(|(a, _), (b, _)| a < b));
    }
}
