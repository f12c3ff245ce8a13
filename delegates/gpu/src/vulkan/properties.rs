//! Device properties as the delegate needs them: pure functions.

use std::ffi::CStr;

use ash::vk;
use ash::vk::{MemoryPropertyFlags as Has, PhysicalDeviceType as Type, QueueFlags};

use crate::device::DeviceInfo;
use crate::{GpuInfo, Vendor};

/// Vendors by the PCI ids that drivers report.
const VENDORS: [(u32, &str); 7] = [
    (0x1002, "AMD"),
    (0x1010, "Imagination"),
    (0x106b, "Apple"),
    (0x10de, "NVIDIA"),
    (0x13b5, "ARM Mali"),
    (0x5143, "Qualcomm Adreno"),
    (0x8086, "Intel"),
];

/// Describes a device from its properties, its driver's properties, the size limit of one allocation, and its memory.
pub(super) fn about(
    properties: &vk::PhysicalDeviceProperties,
    driver: &vk::PhysicalDeviceDriverProperties<'_>,
    allocation: u64,
    memory: &vk::PhysicalDeviceMemoryProperties,
) -> DeviceInfo {
    let name = properties.device_name_as_c_str().map(CStr::to_string_lossy).unwrap_or_default().into_owned();
    let vendor = VENDORS.iter().find(|(id, _)| *id == properties.vendor_id).map_or("", |(_, name)| *name);
    let limits = &properties.limits;
    DeviceInfo {
        driver: driver_text(properties, driver, vendor),
        kind: match properties.device_type {
            Type::DISCRETE_GPU | Type::INTEGRATED_GPU | Type::VIRTUAL_GPU => "gpu",
            Type::CPU => "cpu",
            _ => "other",
        },
        memory: local_heap(memory),
        largest: u64::from(limits.max_storage_buffer_range).min(allocation),
        local: u64::from(limits.max_compute_shared_memory_size),
        units: 0,
        // WGSL has no texel buffers.
        images: 0,
        limits: GpuInfo {
            vendor: Vendor::of(&format!("{vendor} {name}")),
            axes: limits.max_compute_work_group_size,
            total: limits.max_compute_work_group_invocations,
        },
        name,
    }
}

/// The driver's name and versions, as `llvmpipe Mesa 22.3.6, Vulkan 1.3.230, 0x1`. The vendor's name replaces an empty
/// driver name.
fn driver_text(
    properties: &vk::PhysicalDeviceProperties,
    driver: &vk::PhysicalDeviceDriverProperties<'_>,
    vendor: &str,
) -> String {
    let text =
        |name: Result<&CStr, _>| name.map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let told = [text(driver.driver_name_as_c_str()), text(driver.driver_info_as_c_str())].join(" ");
    let who = if told.trim().is_empty() { vendor } else { told.trim() };
    let (api, version) = (properties.api_version, properties.driver_version);
    let [major, minor, patch] =
        [vk::api_version_major(api), vk::api_version_minor(api), vk::api_version_patch(api)];
    format!("{who}, Vulkan {major}.{minor}.{patch}, {version:#x}").trim_start_matches(", ").to_owned()
}

/// Bytes of the largest device-local heap.
fn local_heap(memory: &vk::PhysicalDeviceMemoryProperties) -> u64 {
    let heaps = memory.memory_heaps_as_slice().iter();
    let own = heaps.filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
    own.map(|heap| heap.size).max().unwrap_or(0)
}

/// The use of a memory block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryUse {
    /// Holds tensors.
    Device,
    /// Stages data on its way to the device.
    Up,
    /// Stages data on its way to the host.
    Down,
}

/// The memory type of each use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemoryTypes {
    /// Whether the host writes and reads tensors in place.
    pub unified: bool,
    device: u32,
    up: u32,
    down: u32,
}

impl MemoryTypes {
    /// Selects types among those in the mask. Memory of a discrete GPU is slow for the host even where it is
    /// host-visible.
    pub(super) fn of(
        ty: Type,
        memory: &vk::PhysicalDeviceMemoryProperties,
        mask: u32,
    ) -> Option<MemoryTypes> {
        let seen = Has::HOST_VISIBLE | Has::HOST_COHERENT;
        let first = |wanted: &[Has]| {
            let types = memory.memory_types_as_slice();
            let has = |i: usize, wanted| mask & 1 << i != 0 && types[i].property_flags.contains(wanted);
            wanted.iter().find_map(|&wanted| (0..types.len()).find(|&i| has(i, wanted))).map(|i| i as u32)
        };
        let shared = first(&[Has::DEVICE_LOCAL | seen | Has::HOST_CACHED, Has::DEVICE_LOCAL | seen]);
        let shared = shared.filter(|_| ty != Type::DISCRETE_GPU);
        let host = first(&[seen])?;
        Some(MemoryTypes {
            unified: shared.is_some(),
            device: shared.or_else(|| first(&[Has::DEVICE_LOCAL])).unwrap_or(host),
            up: host,
            down: first(&[seen | Has::HOST_CACHED]).unwrap_or(host),
        })
    }

    /// The memory type for a use.
    pub(super) fn get(&self, purpose: MemoryUse) -> u32 {
        match purpose {
            MemoryUse::Device => self.device,
            MemoryUse::Up => self.up,
            MemoryUse::Down => self.down,
        }
    }
}

/// The queue family for kernels: a compute-only family if the device has one.
pub(super) fn family(families: &[vk::QueueFamilyProperties]) -> Option<u32> {
    let computes = |i: &usize| families[*i].queue_flags.contains(QueueFlags::COMPUTE);
    let draws = |i: &usize| families[*i].queue_flags.contains(QueueFlags::GRAPHICS);
    let all = || (0..families.len()).filter(computes);
    all().find(|i| !draws(i)).or_else(|| all().next()).map(|i| i as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(types: &[Has]) -> vk::PhysicalDeviceMemoryProperties {
        let memory_type_count = types.len() as u32;
        let mut memory = vk::PhysicalDeviceMemoryProperties { memory_type_count, ..Default::default() };
        for (to, &flags) in memory.memory_types.iter_mut().zip(types) {
            to.property_flags = flags;
        }
        memory
    }

    #[test]
    fn driver_descriptions() {
        let properties = vk::PhysicalDeviceProperties {
            api_version: vk::make_api_version(0, 1, 3, 230),
            driver_version: 17,
            ..Default::default()
        };
        let driver = vk::PhysicalDeviceDriverProperties::default();
        let named = driver
            .driver_name(c"radv")
            .and_then(|driver| driver.driver_info(c"Mesa 25.0"))
            .expect("short names");
        assert_eq!(driver_text(&properties, &named, "AMD"), "radv Mesa 25.0, Vulkan 1.3.230, 0x11");
        assert_eq!(driver_text(&properties, &driver, "AMD"), "AMD, Vulkan 1.3.230, 0x11");
        assert_eq!(driver_text(&properties, &driver, ""), "Vulkan 1.3.230, 0x11");
    }

    #[test]
    fn memory_types_by_device() {
        let seen = Has::HOST_VISIBLE | Has::HOST_COHERENT;
        let all = Has::DEVICE_LOCAL | seen | Has::HOST_CACHED;
        let desktop = [Has::DEVICE_LOCAL, seen, seen | Has::HOST_CACHED, Has::DEVICE_LOCAL | seen];
        for (what, ty, types, mask, want) in [
            ("software", Type::CPU, &[all][..], 1, Some((true, [0, 0, 0]))),
            ("a card", Type::DISCRETE_GPU, &desktop, 15, Some((false, [0, 1, 2]))),
            ("part of a processor", Type::INTEGRATED_GPU, &desktop, 15, Some((true, [3, 1, 2]))),
            ("it is not for buffers", Type::INTEGRATED_GPU, &desktop, 7, Some((false, [0, 1, 2]))),
            ("nothing is cached", Type::DISCRETE_GPU, &desktop[..2], 3, Some((false, [0, 1, 1]))),
            ("the host sees nothing", Type::DISCRETE_GPU, &desktop[..1], 1, None),
        ] {
            let got = MemoryTypes::of(ty, &memory(types), mask);
            let got = got.map(|types| {
                (types.unified, [MemoryUse::Device, MemoryUse::Up, MemoryUse::Down].map(|u| types.get(u)))
            });
            assert_eq!(got, want, "{what}");
        }
    }

    #[test]
    fn a_compute_only_family_is_preferred() {
        let family_of = |flags: &[QueueFlags]| {
            let with = |&flags| vk::QueueFamilyProperties { queue_flags: flags, ..Default::default() };
            family(&flags.iter().map(with).collect::<Vec<_>>())
        };
        let both = QueueFlags::GRAPHICS | QueueFlags::COMPUTE;
        assert_eq!(family_of(&[both]), Some(0));
        assert_eq!(family_of(&[QueueFlags::TRANSFER, both, QueueFlags::COMPUTE]), Some(2));
        assert_eq!(family_of(&[QueueFlags::GRAPHICS]), None);
    }
}
