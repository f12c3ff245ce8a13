//! AMX: products of tiles of bytes, 16 rows of 64 bytes each.

use std::arch::asm;
use std::arch::x86_64::__cpuid_count;

use super::Chain;

/// The number of independent sums: six of the eight tiles, which hides a latency of 52 cycles at one product per 16
/// cycles.
const SUMS: u64 = 6;

/// The operations of a tile product: 16×16 sums of 64 products each.
const PRODUCTS: u64 = 16 * 16 * 64;

/// The memory operand of `ldtilecfg`: the palette, then for each of eight tiles the bytes per row at 16 and the rows at
/// 48.
#[repr(C, align(64))]
struct TileShapes([u8; 64]);

impl TileShapes {
    const FULL: TileShapes = {
        let mut bytes = [0; 64];
        bytes[0] = 1;
        let mut tile = 0;
        while tile < 8 {
            bytes[16 + 2 * tile] = 64;
            bytes[48 + tile] = 16;
            tile += 1;
        }
        TileShapes(bytes)
    };
}

/// The chain, if the processor and the kernel support it.
pub(super) fn int8() -> Option<Chain> {
    let leaf = __cpuid_count(7, 0);
    const TILE_AND_INT8: u32 = 1 << 24 | 1 << 25;
    // SAFETY: the processor has tiles and the kernel has allowed this process to use them.
    let run = |rounds| unsafe { products(rounds) };
    let usable = leaf.edx & TILE_AND_INT8 == TILE_AND_INT8 && permitted();
    usable.then_some(Chain { isa: "amx", run, operations: 2 * PRODUCTS * SUMS })
}

/// Requests the tiles' state from the kernel: arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA).
fn permitted() -> bool {
    const ARCH_PRCTL: usize = 158;
    const ARCH_REQ_XCOMP_PERM: usize = 0x1023;
    const XFEATURE_XTILEDATA: usize = 18;
    let mut result = ARCH_PRCTL;
    // SAFETY: the call reads no memory of this process; a kernel that does not know it returns an error.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") result,
            in("rdi") ARCH_REQ_XCOMP_PERM,
            in("rsi") XFEATURE_XTILEDATA,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result == 0
}

/// # Safety
/// The processor must have AMX-TILE and AMX-INT8, and the kernel must have permitted them.
unsafe fn products(rounds: u64) {
    let shapes = TileShapes::FULL;
    // SAFETY: the caller guarantees tiles; the configuration is a full palette 1, and the tiles are released again.
    unsafe {
        asm!(
            "ldtilecfg [{shapes}]",
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            "tilezero tmm4",
            "tilezero tmm5",
            "tilezero tmm6",
            "tilezero tmm7",
            "test {rounds}, {rounds}",
            "jz 3f",
            "2:",
            "tdpbssd tmm0, tmm6, tmm7",
            "tdpbssd tmm1, tmm6, tmm7",
            "tdpbssd tmm2, tmm6, tmm7",
            "tdpbssd tmm3, tmm6, tmm7",
            "tdpbssd tmm4, tmm6, tmm7",
            "tdpbssd tmm5, tmm6, tmm7",
            "dec {rounds}",
            "jnz 2b",
            "3:",
            "tilerelease",
            shapes = in(reg) &shapes.0,
            rounds = inout(reg) rounds => _,
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}
