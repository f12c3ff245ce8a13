//! AMX must be requested from the operating system before its first use.

use std::arch::asm;
use std::arch::x86_64::__cpuid_count;
use std::sync::OnceLock;

/// Whether the processor has 8-bit tiles and the operating system permits their use. Detected once.
pub(super) fn has_tiles() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(is_available)
}

/// Whether the processor has 8-bit tiles and Linux permits this process to use them.
fn is_available() -> bool {
    const TILE_AND_INT8: u32 = 1 << 24 | 1 << 25;
    cfg!(target_os = "linux") && __cpuid_count(7, 0).edx & TILE_AND_INT8 == TILE_AND_INT8 && is_permitted()
}

/// Requests the state of tiles from Linux: arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA).
fn is_permitted() -> bool {
    const ARCH_PRCTL: usize = 158;
    const ARCH_REQ_XCOMP_PERM: usize = 0x1023;
    const XFEATURE_XTILEDATA: usize = 18;
    let mut result = ARCH_PRCTL;
    // SAFETY: the system call does not access memory of this process; a kernel that does not know it returns an error.
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
