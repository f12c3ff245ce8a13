//! The facts about a device on which rules depend, so that rules can be tested without the device.
//!
//! Defined by: tflite/delegates/gpu/common/gpu_info.cc.

/// The vendor of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vendor {
    /// Qualcomm, with the model.
    Adreno(Adreno),
    /// ARM, with the family.
    Mali(Mali),
    /// Apple.
    Apple,
    /// Imagination.
    PowerVr,
    /// NVIDIA.
    Nvidia,
    /// AMD.
    Amd,
    /// Intel.
    Intel,
    /// Any other vendor, including software devices.
    Other,
}

/// An Adreno by its number, such as 640; 0 if it is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adreno(pub u32);

/// A family of Mali.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mali {
    /// Midgard's first: T604 to T678.
    T6xx,
    /// T720, T760.
    T7xx,
    /// T820 to T880.
    T8xx,
    /// Bifrost, Valhall, and unknown models.
    Later,
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuInfo {
    /// Its vendor.
    pub vendor: Vendor,
    /// Most work-items of a work-group along each axis.
    pub axes: [u32; 3],
    /// Most work-items of a work-group.
    pub total: u32,
}

/// Names in descriptions and their vendors. The first match counts.
const NAMES: [(&str, Vendor); 11] = [
    ("adreno", Vendor::Adreno(Adreno(0))),
    ("qualcomm", Vendor::Adreno(Adreno(0))),
    ("advanced micro devices", Vendor::Amd),
    ("apple", Vendor::Apple),
    ("intel", Vendor::Intel),
    ("mali", Vendor::Mali(Mali::Later)),
    ("nvidia", Vendor::Nvidia),
    ("powervr", Vendor::PowerVr),
    ("imagination", Vendor::PowerVr),
    ("amd ", Vendor::Amd),
    ("radeon", Vendor::Amd),
];

impl Vendor {
    /// The vendor of a device with this description.
    pub fn of(description: &str) -> Vendor {
        let description = description.to_ascii_lowercase();
        let named = NAMES.iter().find(|(name, _)| description.contains(name));
        match named.map_or(Vendor::Other, |&(_, vendor)| vendor) {
            Vendor::Adreno(_) => Vendor::Adreno(Adreno::of(&description)),
            Vendor::Mali(_) => Vendor::Mali(Mali::of(&description)),
            other => other,
        }
    }
}

impl Adreno {
    /// The model: the first number of three digits.
    fn of(description: &str) -> Adreno {
        let numbers = description.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() == 3);
        Adreno(numbers.filter_map(|digits| digits.parse().ok()).find(|n| (100..800).contains(n)).unwrap_or(0))
    }

    /// Whether it is of the series 3xx.
    pub fn is_3xx(self) -> bool {
        self.0 / 100 == 3
    }

    /// Work-items of a wave; `full` waves have twice as many.
    pub fn wave(self, full: bool) -> u32 {
        let half = match self.0 / 100 {
            0..=3 => 16,
            4 | 5 => 32,
            _ => 64,
        };
        if full { 2 * half } else { half }
    }

    /// Bytes of registers of a compute unit, where they are known.
    pub fn registers(self) -> Option<u32> {
        let rows = match self.0 {
            640 => 144,
            620 | 650 => 64,
            600..700 => 96,
            _ => return None,
        };
        Some(128 * rows * 16)
    }

    /// Concurrent waves of a compute unit for work-items with `bytes` bytes of registers; at least one.
    pub fn waves(self, bytes: u32, full: bool) -> u32 {
        let most = if self.0 == 640 { 30 } else { 16 };
        let fit = |registers: u32| registers / self.wave(full).saturating_mul(bytes).max(1);
        self.registers().map_or(1, |registers| fit(registers).clamp(1, most))
    }
}

impl Mali {
    fn of(description: &str) -> Mali {
        let families = [("t6", Mali::T6xx), ("t7", Mali::T7xx), ("t8", Mali::T8xx)];
        let numbered = |name: &str| {
            let rest = description.split_once(name).map(|(_, rest)| rest);
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        families.iter().find(|(name, _)| numbered(name)).map_or(Mali::Later, |&(_, family)| family)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendors_by_description() {
        for (description, vendor) in [
            ("QUALCOMM Adreno(TM) 640", Vendor::Adreno(Adreno(640))),
            ("QUALCOMM Adreno(TM)", Vendor::Adreno(Adreno(0))),
            ("Adreno (TM) 330, OpenCL 1.1", Vendor::Adreno(Adreno(330))),
            ("ARM Mali-T628", Vendor::Mali(Mali::T6xx)),
            ("ARM Mali-T760", Vendor::Mali(Mali::T7xx)),
            ("ARM Mali-T880", Vendor::Mali(Mali::T8xx)),
            ("ARM Mali-G78", Vendor::Mali(Mali::Later)),
            ("Apple A13 GPU", Vendor::Apple),
            ("NVIDIA Corporation NVIDIA H100", Vendor::Nvidia),
            ("Advanced Micro Devices, Inc. gfx1030", Vendor::Amd),
            ("AMD Radeon RX 6800", Vendor::Amd),
            ("Intel(R) Corporation Intel(R) UHD Graphics", Vendor::Intel),
            ("Imagination Technologies PowerVR Rogue", Vendor::PowerVr),
            ("The pocl project cpu-haswell", Vendor::Other),
            ("", Vendor::Other),
        ] {
            assert_eq!(Vendor::of(description), vendor, "{description}");
        }
    }

    #[test]
    fn waves_of_adreno() {
        for (number, waves, registers) in [
            (330, [16, 32], None),
            (430, [32, 64], None),
            (540, [32, 64], None),
            (640, [64, 128], Some(128 * 144 * 16)),
            (650, [64, 128], Some(128 * 64 * 16)),
            (630, [64, 128], Some(128 * 96 * 16)),
        ] {
            let adreno = Adreno(number);
            assert_eq!([adreno.wave(false), adreno.wave(true)], waves, "{number}");
            assert_eq!(adreno.registers(), registers, "{number}");
        }
        // 294,912 bytes: 4,608 waves of one byte each would fit, 30 run; of 64 bytes 72, of 512 bytes 9, of 1 MiB none.
        let waves = |bytes| Adreno(640).waves(bytes, false);
        assert_eq!([waves(0), waves(1), waves(64), waves(512), waves(1 << 20)], [30, 30, 30, 9, 1]);
        assert_eq!(Adreno(640).waves(u32::MAX, true), 1);
        assert_eq!(Adreno(330).waves(16, true), 1);
    }
}
