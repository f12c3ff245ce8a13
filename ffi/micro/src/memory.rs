//! The names that Arm's compilers have for `memcpy`, `memmove` and `memset`: each jumps to the program's function.
//! Without them the linker would take the copies in `compiler_builtins`, 3 KB. They are weak, so a C library may have
//! its own.

core::arch::global_asm!(
    ".macro weak_function name",
    ".section .text.\\name,\"ax\",%progbits",
    ".p2align 2",
    ".weak \\name",
    ".type \\name,%function",
    "\\name:",
    ".endm",
    ".macro jump target, name",
    "weak_function \\name",
    "b \\target",
    "weak_function \\name\\()4",
    "b \\target",
    "weak_function \\name\\()8",
    "b \\target",
    ".endm",
    "jump memcpy, __aeabi_memcpy",
    "jump memmove, __aeabi_memmove",
    // (to, bytes, value), where `memset` has (to, value, bytes).
    "weak_function arenite_aeabi_memset",
    "mov r3, r1",
    "mov r1, r2",
    "mov r2, r3",
    "b memset",
    "jump arenite_aeabi_memset, __aeabi_memset",
    // (to, bytes)
    "weak_function arenite_aeabi_memclr",
    "mov r2, r1",
    "mov r1, #0",
    "b memset",
    "jump arenite_aeabi_memclr, __aeabi_memclr",
    ".purgem jump",
    ".purgem weak_function",
    ".text",
);
