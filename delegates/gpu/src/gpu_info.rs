//! The facts about a device on which rules depend, so that rules can be tested without the device.
//!
//! Defined by: tflite/delegates/gpu/common/gpu_info.cc.

/// The vendor of a device, as far as a rule depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vendor {
    /// Qualcomm, with the model.
    Adreno(Adreno),
    /// ARM, with the family.
    Mali(Mali),
    /// AMD.
    Amd,
    /// A vendor on which no rule depends, including software devices.
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
const NAMES: [(&str, Vendor); 6] = [
    ("adreno", Vendor::Adreno(Adreno(0))),
    ("qualcomm", Vendor::Adreno(Adreno(0))),
    ("advanced micro devices", Vendor::Amd),
    ("mali", Vendor::Mali(Mali::Later)),
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
            ("Apple A13 GPU", Vendor::Other),
            ("NVIDIA Corporation NVIDIA H100", Vendor::Other),
            ("Advanced Micro Devices, Inc. gfx1030", Vendor::Amd),
            ("AMD Radeon RX 6800", Vendor::Amd),
            ("Intel(R) Corporation Intel(R) UHD Graphics", Vendor::Other),
            ("Imagination Technologies PowerVR Rogue", Vendor::Other),
            ("The pocl project cpu-haswell", Vendor::Other),
            ("", Vendor::Other),
        ] {
            assert_eq!(Vendor::of(description), vendor, "{description}");
        }
    }
}
