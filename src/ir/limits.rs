//! What CUDA allows on every device (CUDA C++ Programming Guide, compute
//! capabilities). What architectures differ in is in
//! [`crate::analysis::occupancy`].

/// Threads of a warp.
pub const WARP: u32 = 32;
/// Threads of a block.
pub const THREADS: u32 = 1024;
/// Threads of a block along x, y and z.
pub const BLOCK: [u32; 3] = [1024, 1024, 64];
/// Blocks of a grid along x, y and z.
pub const GRID: [u32; 3] = [0x7fff_ffff, 0xffff, 0xffff];
/// Barriers of a block, that of all its threads among them.
pub const BARRIERS: u32 = 16;
/// Bytes of shared memory that a kernel may declare.
pub const STATIC_SHARED: u64 = 48 * 1024;
/// Bytes of shared memory that a block of any device may ask a launch for.
pub const DYNAMIC_SHARED: u64 = 227 * 1024;
/// Bytes of constant memory of a file.
pub const CONSTANT: u64 = 64 * 1024;
/// Bytes of the parameters of a kernel (since CUDA 12.1).
pub const PARAMETERS: u64 = 32_764;
