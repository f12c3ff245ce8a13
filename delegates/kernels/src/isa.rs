//! Instruction sets as sets of CPU features: the features of the machine, detected once, and the features that
//! `ARENITE_ISA` permits.
//!
//! A line of a table of microkernels names the features that it needs. The last line whose features are all available,
//! which is the fastest, is selected. So families can use different features.

#[cfg(all(target_arch = "x86_64", feature = "amx"))]
mod amx;

use std::fmt;
use std::ops::{BitAnd, BitOr};
use std::sync::OnceLock;

/// A set of features: of a machine, permitted by a user, or needed by a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Isa(u16);

impl Isa {
    /// Plain Rust, without special features.
    pub const SCALAR: Isa = Isa(0);
    /// x86-64: AVX2, FMA and F16C.
    pub const AVX2: Isa = Isa(1);
    /// x86-64: 8-bit dot products on 256 bits, in the encoding of AVX-512 VNNI and VL.
    pub const VNNI256: Isa = Isa(1 << 1 | Isa::AVX2.0);
    /// x86-64: 8-bit dot products on 256 bits, in the encoding of AVX-VNNI.
    pub const AVXVNNI: Isa = Isa(1 << 2 | Isa::AVX2.0);
    /// x86-64: AVX-512 F, BW, DQ and VL.
    pub const AVX512: Isa = Isa(1 << 3 | Isa::AVX2.0);
    /// x86-64: AVX-512 VNNI, 8-bit dot products.
    pub const AVX512VNNI: Isa = Isa(1 << 4 | Isa::AVX512.0);
    /// x86-64: AVX-512 VBMI, permutations of bytes.
    pub const AVX512VBMI: Isa = Isa(1 << 5 | Isa::AVX512.0);
    /// x86-64: AMX with 8-bit tiles, if the operating system permits them.
    pub const AMX: Isa = Isa(1 << 6 | Isa::AVX512VNNI.0);
    /// aarch64: NEON.
    pub const NEON: Isa = Isa(1 << 7);
    /// aarch64: NEON with 8-bit dot products.
    pub const NEONDOT: Isa = Isa(1 << 8 | Isa::NEON.0);
    /// aarch64: NEON with 8-bit matrix products.
    pub const NEONI8MM: Isa = Isa(1 << 9 | Isa::NEONDOT.0);

    /// All features.
    pub const ALL: Isa = Isa((1 << FEATURES.len()) - 1);

    /// Whether this set contains all features of `other`.
    pub const fn has(self, other: Isa) -> bool {
        self.0 & other.0 == other.0
    }

    /// The features that this machine has and for which microkernels were compiled. Detected once.
    pub fn machine() -> Isa {
        static FOUND: OnceLock<Isa> = OnceLock::new();
        *FOUND.get_or_init(|| {
            FEATURES.iter().fold(Isa::SCALAR, |all, f| if f.is_there() { all | f.isa } else { all })
        })
    }

    /// The features of this machine that `ARENITE_ISA` permits. Detected once.
    ///
    /// # Errors
    /// If `ARENITE_ISA` contains an unknown name.
    pub fn detect() -> Result<Isa, UnknownIsa> {
        static FOUND: OnceLock<Result<Isa, UnknownIsa>> = OnceLock::new();
        let found = FOUND.get_or_init(|| match std::env::var_os("ARENITE_ISA") {
            Some(names) => Isa::allowed_by(&names.to_string_lossy()),
            None => Ok(Isa::machine()),
        });
        found.clone()
    }

    /// The features of this machine that are permitted if `ARENITE_ISA` is `names`.
    fn allowed_by(names: &str) -> Result<Isa, UnknownIsa> {
        match Isa::named(names) {
            Ok(allowed) => Ok(allowed & Isa::machine()),
            Err(error) => Err(UnknownIsa { variable: Some("ARENITE_ISA"), ..error }),
        }
    }

    /// The set of a level, or of several names: `+` adds the features of a level, `-` removes a feature and all
    /// features that need it. If the first name has a `-`, it is removed from the set of all features.
    ///
    /// # Errors
    /// If a name is unknown.
    pub fn named(names: &str) -> Result<Isa, UnknownIsa> {
        let mut set = if names.starts_with('-') { Isa::ALL } else { Isa::SCALAR };
        let mut rest = names;
        loop {
            let takes = rest.starts_with('-');
            rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
            let (name, next) = rest.split_at(rest.find(['+', '-']).unwrap_or(rest.len()));
            set = match FEATURES.iter().find(|feature| feature.name == name) {
                Some(feature) if takes => set.without(feature.isa),
                Some(feature) => set | feature.level,
                None if name == SCALAR && !takes => set,
                None => return Err(UnknownIsa { name: name.to_owned(), variable: None }),
            };
            rest = next;
            if rest.is_empty() {
                return Ok(set);
            }
        }
    }

    /// The features in this set that do not need `feature`.
    fn without(self, feature: Isa) -> Isa {
        let stay = FEATURES.iter().filter(|f| self.has(f.isa) && !f.isa.has(feature));
        stay.fold(Isa::SCALAR, |all, f| all | f.isa)
    }
}

impl BitOr for Isa {
    type Output = Isa;
    fn bitor(self, other: Isa) -> Isa {
        Isa(self.0 | other.0)
    }
}

/// Both operands contain the features that their features need, so the result does too.
impl BitAnd for Isa {
    type Output = Isa;
    fn bitand(self, other: Isa) -> Isa {
        Isa(self.0 & other.0)
    }
}

/// Writes names that [`Isa::named`] can read.
impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            FEATURES.iter().filter(|feature| self.has(feature.isa)).map(|f| f.name).collect();
        f.pad(&if names.is_empty() { SCALAR.to_owned() } else { names.join("+") })
    }
}

impl fmt::Debug for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The name of the empty set.
const SCALAR: &str = "scalar";

/// A feature, and the level with the same name.
struct Feature {
    name: &'static str,
    /// The feature and its prerequisites.
    isa: Isa,
    /// The features that `ARENITE_ISA` permits with this name.
    level: Isa,
}

/// All features, in the order of their bits.
const FEATURES: [Feature; 10] = [
    Feature { name: "avx2", isa: Isa::AVX2, level: Isa::AVX2 },
    Feature { name: "vnni256", isa: Isa::VNNI256, level: Isa::VNNI256 },
    Feature { name: "avxvnni", isa: Isa::AVXVNNI, level: Isa(Isa::AVXVNNI.0 | Isa::VNNI256.0) },
    Feature { name: "avx512", isa: Isa::AVX512, level: Isa::AVX512 },
    Feature { name: "avx512vnni", isa: Isa::AVX512VNNI, level: Isa(Isa::AVX512VNNI.0 | Isa::VNNI256.0) },
    Feature {
        name: "avx512vbmi",
        isa: Isa::AVX512VBMI,
        level: Isa(Isa::AVX512VBMI.0 | Isa::AVX512VNNI.0 | Isa::VNNI256.0),
    },
    Feature {
        name: "amx",
        isa: Isa::AMX,
        level: Isa(Isa::AMX.0 | Isa::AVX512VBMI.0 | Isa::AVXVNNI.0 | Isa::VNNI256.0),
    },
    Feature { name: "neon", isa: Isa::NEON, level: Isa::NEON },
    Feature { name: "neondot", isa: Isa::NEONDOT, level: Isa::NEONDOT },
    Feature { name: "neoni8mm", isa: Isa::NEONI8MM, level: Isa::NEONI8MM },
];

/// The error for an unknown name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownIsa {
    name: String,
    /// The environment variable that contains the name.
    variable: Option<&'static str>,
}

impl fmt::Display for UnknownIsa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(variable) = self.variable {
            write!(f, "{variable}: ")?;
        }
        let known = FEATURES.map(|feature| feature.name).join(", ");
        write!(f, "unknown instruction set '{}'; known: {SCALAR}, {known}", self.name)
    }
}

impl std::error::Error for UnknownIsa {}

impl Feature {
    /// Whether this machine has the feature and its prerequisites, and kernels for them were compiled.
    fn is_there(&self) -> bool {
        let needed = FEATURES.iter().filter(|f| self.isa.has(f.isa));
        needed.fold(true, |all, f| all && f.is_compiled() && is_available(f.isa))
    }

    /// Whether kernels for this feature were compiled, which a feature of this crate decides.
    fn is_compiled(&self) -> bool {
        match self.isa {
            Isa::AVX2 | Isa::AVXVNNI => cfg!(feature = "avx2"),
            Isa::AMX => cfg!(feature = "amx"),
            Isa::NEON | Isa::NEONDOT | Isa::NEONI8MM => cfg!(feature = "neon"),
            _ => cfg!(feature = "avx512"),
        }
    }
}

/// Whether the machine has a feature, without checking the features that it needs.
#[cfg(target_arch = "x86_64")]
fn is_available(feature: Isa) -> bool {
    use std::arch::is_x86_feature_detected as has;
    match feature {
        Isa::AVX2 => has!("avx2") && has!("fma") && has!("f16c"),
        Isa::VNNI256 => has!("avx512vnni") && has!("avx512vl"),
        Isa::AVXVNNI => has!("avxvnni"),
        Isa::AVX512 => has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl"),
        Isa::AVX512VNNI => has!("avx512vnni"),
        Isa::AVX512VBMI => has!("avx512vbmi"),
        #[cfg(feature = "amx")]
        Isa::AMX => amx::has_tiles(),
        _ => false,
    }
}

/// Whether the machine has a feature, without checking the features that it needs.
#[cfg(target_arch = "aarch64")]
fn is_available(feature: Isa) -> bool {
    use std::arch::is_aarch64_feature_detected as has;
    match feature {
        Isa::NEON => has!("neon"),
        Isa::NEONDOT => has!("dotprod"),
        Isa::NEONI8MM => has!("i8mm"),
        _ => false,
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn is_available(_: Isa) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_sets() {
        let vnni = Isa::AVX512VNNI | Isa::VNNI256;
        for (names, want) in [
            ("scalar", Isa::SCALAR),
            ("avx2", Isa::AVX2),
            ("avxvnni", Isa::AVXVNNI | Isa::VNNI256),
            ("avx512", Isa::AVX512),
            ("avx512vnni", vnni),
            ("avx512vbmi", vnni | Isa::AVX512VBMI),
            ("neoni8mm", Isa::NEON | Isa::NEONDOT | Isa::NEONI8MM),
            ("avx2+avxvnni", Isa::AVXVNNI | Isa::VNNI256),
            ("scalar+avx2", Isa::AVX2),
            ("avx512+neon", Isa::AVX512 | Isa::NEON),
            ("avx512vbmi-avx512vnni", Isa::AVX512VBMI | Isa::VNNI256),
            ("avxvnni-vnni256", Isa::AVXVNNI),
            ("amx-avx512vbmi-avxvnni", vnni | Isa::AMX),
            ("amx-avx512", Isa::AVXVNNI | Isa::VNNI256),
            ("-avx2", Isa::NEONI8MM),
            ("-amx", Isa::named("avx512vbmi+avxvnni+neoni8mm").unwrap()),
        ] {
            assert_eq!(Isa::named(names).unwrap(), want, "{names}");
        }
    }

    #[test]
    fn unknown_names_are_errors() {
        for (names, name) in
            [("mmx", "mmx"), ("avx2+sse9", "sse9"), ("", ""), ("avx2+", ""), ("-scalar", "scalar")]
        {
            let error = Isa::named(names).unwrap_err();
            let start = format!("unknown instruction set '{name}'; known: scalar, avx2, ");
            assert!(error.to_string().starts_with(&start), "{names}: {error}");
        }
        let error = Isa::allowed_by("sse9").unwrap_err();
        assert!(error.to_string().starts_with("ARENITE_ISA: unknown instruction set 'sse9'; "), "{error}");
    }

    #[test]
    fn written_sets_can_be_read_again() {
        for feature in &FEATURES {
            assert!(Isa::ALL.has(feature.level) && feature.level.has(feature.isa));
            for set in [feature.isa, feature.level, Isa::ALL.without(feature.isa)] {
                // A name means a level, which may have more features than were written, so the missing features are
                // removed.
                let left_out = FEATURES.iter().filter(|f| !set.has(f.isa)).map(|f| format!("-{}", f.name));
                let names = format!("{set}{}", left_out.collect::<String>());
                assert_eq!(Isa::named(&names).unwrap(), set, "{names}");
            }
        }
        assert_eq!(Isa::SCALAR.to_string(), "scalar");
        assert_eq!(Isa::AVX512VNNI.to_string(), "avx2+avx512+avx512vnni");
    }

    #[test]
    fn machine_features_are_complete() {
        let machine = Isa::machine();
        assert_eq!(
            FEATURES.iter().filter(|f| machine.has(f.isa)).fold(Isa::SCALAR, |all, f| all | f.isa),
            machine
        );
        assert!(!machine.has(Isa::AVX2) || !machine.has(Isa::NEON));
    }
}
