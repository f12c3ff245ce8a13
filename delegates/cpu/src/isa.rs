//! Instruction sets: what the machine has, found once, and how far `ARENITE_ISA` lets us go.

use std::fmt;
use std::sync::OnceLock;

use arenite_abi::{Error, Status};

/// An instruction set, each with all that stand before it on its architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Isa {
    /// Plain Rust.
    Scalar,
    /// x86-64: AVX2, FMA and F16C.
    Avx2,
    /// x86-64: AVX-512 F, BW, DQ and VL.
    Avx512,
    /// x86-64: AVX-512 VNNI (dot products of bytes), VBMI.
    Avx512Vnni,
    /// x86-64: AMX with 8-bit tiles, where the system permits them.
    Amx,
    /// aarch64: NEON.
    Neon,
    /// aarch64: NEON with dot products of bytes.
    NeonDot,
    /// aarch64: NEON with products of matrices of bytes.
    NeonI8mm,
}

impl Isa {
    /// All of them, in order.
    pub const ALL: [Isa; 8] = [
        Isa::Scalar,
        Isa::Avx2,
        Isa::Avx512,
        Isa::Avx512Vnni,
        Isa::Amx,
        Isa::Neon,
        Isa::NeonDot,
        Isa::NeonI8mm,
    ];

    /// The name that `ARENITE_ISA` takes and that microkernels' names end with.
    pub const fn name(self) -> &'static str {
        match self {
            Isa::Scalar => "scalar",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
            Isa::Avx512Vnni => "avx512vnni",
            Isa::Amx => "amx",
            Isa::Neon => "neon",
            Isa::NeonDot => "neondot",
            Isa::NeonI8mm => "neoni8mm",
        }
    }

    /// Whether its microkernels were compiled: a feature of this crate.
    const fn is_compiled(self) -> bool {
        match self {
            Isa::Scalar => true,
            Isa::Avx2 => cfg!(feature = "avx2"),
            Isa::Avx512 | Isa::Avx512Vnni => cfg!(feature = "avx512"),
            Isa::Amx => cfg!(feature = "amx"),
            Isa::Neon | Isa::NeonDot | Isa::NeonI8mm => cfg!(feature = "neon"),
        }
    }

    /// Whether this machine has it, and its microkernels were compiled.
    pub fn is_available(self) -> bool {
        self.is_compiled() && available(self)
    }

    /// The instruction set with this name.
    pub fn named(name: &str) -> Result<Isa, Error> {
        Isa::ALL.into_iter().find(|isa| isa.name() == name).ok_or_else(|| {
            let known = Isa::ALL.map(Isa::name).join(", ");
            Error::new(
                Status::Invalid,
                format_args!("there is no instruction set '{name}'; known are {known}"),
            )
        })
    }

    /// The best that this machine has and that is not above `cap`.
    pub fn best(cap: Option<Isa>) -> Isa {
        Isa::ALL
            .into_iter()
            .rfind(|isa| isa.is_available() && cap.is_none_or(|cap| *isa <= cap))
            .unwrap_or(Isa::Scalar)
    }

    /// The best that this machine has and that `ARENITE_ISA` allows, looked up once. An unknown name is an error.
    pub fn detect() -> Result<Isa, Error> {
        static FOUND: OnceLock<Result<Isa, Error>> = OnceLock::new();
        *FOUND.get_or_init(|| match std::env::var_os("ARENITE_ISA") {
            Some(name) => Isa::capped_by(&name.to_string_lossy()),
            None => Ok(Isa::best(None)),
        })
    }

    /// The best that this machine has, where `ARENITE_ISA` is `name`.
    fn capped_by(name: &str) -> Result<Isa, Error> {
        match Isa::named(name) {
            Ok(cap) => Ok(Isa::best(Some(cap))),
            Err(error) => Err(Error::new(error.status(), format_args!("ARENITE_ISA: {error}"))),
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(target_arch = "x86_64")]
fn available(isa: Isa) -> bool {
    use std::arch::is_x86_feature_detected as has;
    match isa {
        Isa::Scalar => true,
        Isa::Avx2 => has!("avx2") && has!("fma") && has!("f16c"),
        Isa::Avx512 => {
            available(Isa::Avx2)
                && has!("avx512f")
                && has!("avx512bw")
                && has!("avx512dq")
                && has!("avx512vl")
        }
        Isa::Avx512Vnni => available(Isa::Avx512) && has!("avx512vnni") && has!("avx512vbmi"),
        #[cfg(feature = "amx")]
        Isa::Amx => available(Isa::Avx512Vnni) && crate::kernels::u8i8_gemm::has_tiles(),
        #[cfg(not(feature = "amx"))]
        Isa::Amx => false,
        Isa::Neon | Isa::NeonDot | Isa::NeonI8mm => false,
    }
}

#[cfg(target_arch = "aarch64")]
fn available(isa: Isa) -> bool {
    use std::arch::is_aarch64_feature_detected as has;
    match isa {
        Isa::Scalar => true,
        Isa::Neon => has!("neon"),
        Isa::NeonDot => available(Isa::Neon) && has!("dotprod"),
        Isa::NeonI8mm => available(Isa::NeonDot) && has!("i8mm"),
        _ => false,
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn available(isa: Isa) -> bool {
    isa == Isa::Scalar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_is_kept_and_an_unknown_name_is_told() {
        assert_eq!(Isa::best(Some(Isa::Scalar)), Isa::Scalar);
        for isa in Isa::ALL {
            assert_eq!(Isa::named(isa.name()).unwrap(), isa);
            assert!(Isa::best(Some(isa)) <= isa);
        }
        let error = Isa::named("mmx").unwrap_err();
        assert!(error.message().contains("'mmx'") && error.message().contains("avx512"), "{error}");
        let error = Isa::capped_by("sse9").unwrap_err();
        assert!(error.message().starts_with("ARENITE_ISA: there is no instruction set 'sse9'; "), "{error}");
    }

    #[test]
    fn what_is_best_is_available() {
        assert!(Isa::best(None).is_available());
    }
}
