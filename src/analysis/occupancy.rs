//! How many blocks of a kernel a multiprocessor holds at once.
//!
//! Input: what a block needs of registers, shared memory and barriers, and a
//! GPU architecture. Output: how many blocks fit, what part of the
//! multiprocessor's warps they are, and what keeps more of them out. The limits
//! are those of the CUDA C++ Programming Guide ("Technical Specifications per
//! Compute Capability"), the arithmetic that of NVIDIA's occupancy calculator:
//! registers are given out to whole warps in each of four partitions, shared
//! memory to whole blocks.
//!
//! AUTO-CTA (section III-A) chooses the block of the highest occupancy; of
//! equal ones [`Multiprocessor::ranking`] has the largest first.

use crate::ir::limits::WARP;
use std::cmp::Reverse;

/// Parts of a multiprocessor, each with its warps and their registers.
const PARTITIONS: u32 = 4;
/// Registers of a multiprocessor, and of a block at most.
const REGISTERS: u32 = 64 * 1024;
/// Registers are given to a warp in such portions.
const REGISTER_UNIT: u32 = 256;
const KILOBYTE: u64 = 1024;

/// What a multiprocessor of one architecture has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiprocessor {
    /// The compute capability, 90 for `sm_90`.
    pub arch: u16,
    /// Warps at once.
    pub warps: u32,
    /// Blocks at once.
    pub blocks: u32,
    /// Shared memory in kilobytes.
    shared: u64,
    /// Shared memory that a block may ask for, in kilobytes.
    shared_of_block: u64,
    /// Named barriers that there are for each of `blocks`.
    barriers: u32,
}

/// All that a translation can be for.
const ARCHITECTURES: [Multiprocessor; 12] = [
    row(70, 64, 32, 96, 96, 2),
    row(75, 32, 16, 64, 64, 2),
    row(80, 64, 32, 164, 163, 2),
    row(86, 48, 16, 100, 99, 1),
    row(87, 48, 16, 164, 163, 1),
    row(89, 48, 24, 100, 99, 1),
    row(90, 64, 32, 228, 227, 2),
    row(100, 64, 32, 228, 227, 2),
    row(103, 64, 32, 228, 227, 2),
    row(110, 48, 24, 228, 227, 1),
    row(120, 48, 24, 100, 99, 1),
    row(121, 48, 24, 100, 99, 1),
];

const fn row(
    arch: u16,
    warps: u32,
    blocks: u32,
    shared: u64,
    shared_of_block: u64,
    barriers: u32,
) -> Multiprocessor {
    Multiprocessor {
        arch,
        warps,
        blocks,
        shared,
        shared_of_block,
        barriers,
    }
}

/// What the threads of a block need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Registers of a thread; `None` where they were not counted, and they are
    /// no limit.
    pub registers: Option<u32>,
    /// Shared memory of a block in bytes, static and dynamic.
    pub shared: u64,
    /// Barriers of a block.
    pub barriers: u32,
}

/// What a compiler made of a kernel for one architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resources {
    /// The kernel's name, without its namespace.
    pub kernel: String,
    /// The compute capability.
    pub arch: u16,
    /// Registers of a thread.
    pub registers: u32,
    /// Barriers of a block.
    pub barriers: u32,
    /// Static shared memory of a block in bytes.
    pub shared: u64,
    /// What a thread has in memory of its own, in bytes: arrays that it
    /// indexes, and registers that were spilled.
    pub stack: u64,
    /// Bytes written for want of registers, and read again.
    pub spills: u64,
}

impl Resources {
    /// What its blocks need with so much dynamic shared memory.
    pub const fn needs(&self, dynamic_shared: u64) -> Needs {
        Needs {
            registers: Some(self.registers),
            shared: self.shared.saturating_add(dynamic_shared),
            barriers: self.barriers,
        }
    }
}

/// What keeps more blocks out of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// All its warps are taken.
    Warps,
    /// It has no more blocks, however small.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
    /// Barriers.
    Barriers,
}

impl Limit {
    /// In a sentence.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Warps => "warps",
            Self::Blocks => "blocks",
            Self::Registers => "registers",
            Self::SharedMemory => "shared memory",
            Self::Barriers => "barriers",
        }
    }
}

/// A kernel in blocks of one size on one multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Threads of a block.
    pub threads: u32,
    /// Blocks at once; none where not even one fits.
    pub blocks: u32,
    /// Their warps.
    pub warps: u32,
    /// Warps that there could be.
    pub of_warps: u32,
    /// Why there are no more.
    pub limit: Limit,
}

impl Occupancy {
    /// The part of the warps, in percent.
    pub fn percent(&self) -> f64 {
        100.0 * f64::from(self.warps) / f64::from(self.of_warps)
    }
}

impl Multiprocessor {
    /// That of an architecture; the next older one's where it is not known,
    /// `None` before the first one that is.
    pub fn of(arch: u16) -> Option<&'static Self> {
        ARCHITECTURES.iter().rev().find(|known| known.arch <= arch)
    }

    /// The shared memory that a block may ask for, in bytes.
    pub const fn shared_of_block(&self) -> u64 {
        self.shared_of_block * KILOBYTE
    }

    /// Its shared memory, in bytes.
    pub const fn shared(&self) -> u64 {
        self.shared * KILOBYTE
    }

    /// What each block takes of shared memory before its own, and in which
    /// portions it gets it, in bytes.
    const fn shared_portions(&self) -> (u64, u64) {
        match self.arch {
            ..80 => (0, 256),
            80.. => (KILOBYTE, 128),
        }
    }

    /// Blocks of so many threads.
    pub fn occupancy(&self, needs: Needs, threads: u32) -> Occupancy {
        let warps = threads.div_ceil(WARP).max(1);
        // Of several equal limits the first one is told.
        let limits = [
            (self.warps / warps, Limit::Warps),
            (self.blocks, Limit::Blocks),
            (by_registers(needs.registers, warps), Limit::Registers),
            (self.by_shared_memory(needs.shared), Limit::SharedMemory),
            (self.by_barriers(needs.barriers), Limit::Barriers),
        ];
        let (blocks, limit) = limits
            .into_iter()
            .reduce(|least, other| if other.0 < least.0 { other } else { least })
            .unwrap_or((0, Limit::Warps));
        Occupancy {
            threads,
            blocks,
            warps: blocks * warps,
            of_warps: self.warps,
            limit,
        }
    }

    fn by_shared_memory(&self, bytes: u64) -> u32 {
        let (reserved, unit) = self.shared_portions();
        let taken = bytes.saturating_add(reserved).div_ceil(unit) * unit;
        if bytes > self.shared_of_block() {
            return 0;
        }
        let blocks = self.shared().checked_div(taken);
        blocks.map_or(u32::MAX, |n| u32::try_from(n).unwrap_or(u32::MAX))
    }

    /// The hardware counts them since sm_90.
    fn by_barriers(&self, barriers: u32) -> u32 {
        let all = self.blocks * self.barriers;
        match self.arch {
            ..90 => u32::MAX,
            90.. => all.checked_div(barriers).unwrap_or(u32::MAX),
        }
    }

    /// The sizes that a block may have, the best first: the highest occupancy,
    /// of equal ones the largest.
    pub fn ranking(&self, needs: Needs, sizes: impl IntoIterator<Item = u32>) -> Vec<Occupancy> {
        let mut all: Vec<Occupancy> = sizes
            .into_iter()
            .map(|threads| self.occupancy(needs, threads))
            .collect();
        all.sort_by_key(|one| Reverse((one.warps, one.threads)));
        all
    }
}

/// Blocks of so many warps that the registers are enough for.
fn by_registers(registers: Option<u32>, warps: u32) -> u32 {
    let Some(registers) = registers.filter(|n| *n > 0) else {
        return u32::MAX;
    };
    let of_warp = (registers * WARP).next_multiple_of(REGISTER_UNIT);
    // A launch is refused as if a block had its warps in all partitions.
    if registers > 255 || of_warp * warps.next_multiple_of(PARTITIONS) > REGISTERS {
        return 0;
    }
    let of_partition = REGISTERS / PARTITIONS / of_warp;
    of_partition * PARTITIONS / warps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(arch: u16, registers: u32, shared: u64, threads: u32) -> (u32, Limit) {
        let needs = Needs {
            registers: Some(registers),
            shared,
            barriers: 1,
        };
        let found = Multiprocessor::of(arch).unwrap().occupancy(needs, threads);
        (found.blocks, found.limit)
    }

    /// From NVIDIA's tables of the CUDA C++ Programming Guide.
    #[test]
    fn threads_and_blocks() {
        assert_eq!(blocks(75, 16, 0, 1024), (1, Limit::Warps));
        assert_eq!(blocks(80, 16, 0, 1024), (2, Limit::Warps));
        assert_eq!(blocks(86, 16, 0, 1024), (1, Limit::Warps));
        assert_eq!(blocks(86, 16, 0, 512), (3, Limit::Warps));
        assert_eq!(blocks(75, 16, 0, 32), (16, Limit::Blocks));
        assert_eq!(blocks(89, 16, 0, 32), (24, Limit::Blocks));
        assert_eq!(blocks(90, 16, 0, 32), (32, Limit::Blocks));
        assert_eq!(blocks(120, 16, 0, 32), (24, Limit::Blocks));
    }

    #[test]
    fn registers_go_to_warps_in_four_partitions() {
        // 33 registers are 40 a thread: 12 warps a partition.
        assert_eq!(blocks(90, 33, 0, 256), (6, Limit::Registers));
        // 56 are 9 warps a partition, 36 in all: four blocks of 8, nine of 4.
        assert_eq!(blocks(90, 56, 0, 256), (4, Limit::Registers));
        assert_eq!(blocks(90, 56, 0, 128), (9, Limit::Registers));
        assert_eq!(blocks(90, 255, 0, 256), (1, Limit::Registers));
        assert_eq!(blocks(90, 255, 0, 512), (0, Limit::Registers));
        // 17 warps of 64 registers fit by their number, not by fours.
        assert_eq!(blocks(90, 104, 0, 544), (0, Limit::Registers));
    }

    #[test]
    fn shared_memory_is_reserved_and_rounded() {
        assert_eq!(blocks(75, 16, 16 * 1024, 128), (4, Limit::SharedMemory));
        assert_eq!(blocks(80, 16, 16 * 1024, 128), (9, Limit::SharedMemory));
        assert_eq!(blocks(90, 16, 48 * 1024, 128), (4, Limit::SharedMemory));
        assert_eq!(blocks(90, 16, 227 * 1024, 128), (1, Limit::SharedMemory));
        assert_eq!(blocks(90, 16, 228 * 1024, 128), (0, Limit::SharedMemory));
        assert_eq!(blocks(120, 16, 99 * 1024, 128), (1, Limit::SharedMemory));
        assert_eq!(blocks(120, 16, 100 * 1024, 128), (0, Limit::SharedMemory));
    }

    #[test]
    fn barriers_count_since_sm_90() {
        let needs = Needs {
            barriers: 16,
            ..Needs::default()
        };
        let of = |arch| Multiprocessor::of(arch).unwrap().occupancy(needs, 128);
        assert_eq!((of(80).blocks, of(80).limit), (16, Limit::Warps));
        assert_eq!((of(90).blocks, of(90).limit), (4, Limit::Barriers));
        assert_eq!((of(120).blocks, of(120).limit), (1, Limit::Barriers));
    }

    #[test]
    fn the_largest_of_equal_blocks_is_first() {
        let sizes = [32, 64, 128, 256, 512, 1024];
        let first = |arch, registers| {
            let needs = Needs {
                registers: Some(registers),
                ..Needs::default()
            };
            let all = Multiprocessor::of(arch).unwrap().ranking(needs, sizes);
            (all[0].threads, all[0].warps, all[1].threads)
        };
        assert_eq!(first(90, 32), (1024, 64, 512));
        assert_eq!(first(90, 56), (128, 36, 64));
        assert_eq!(first(86, 32), (512, 48, 256));
        assert_eq!(first(75, 64), (1024, 32, 512));
    }

    #[test]
    fn architectures_that_are_not_known() {
        assert!(Multiprocessor::of(61).is_none());
        assert_eq!(Multiprocessor::of(88).unwrap().arch, 87);
        assert_eq!(Multiprocessor::of(130).unwrap().arch, 121);
    }
}
