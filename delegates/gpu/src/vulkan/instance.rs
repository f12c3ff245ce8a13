//! The Vulkan loader and its devices.

use std::ffi::CStr;
use std::sync::LazyLock;

use arenite_abi::prelude::*;
use ash::vk;

use super::failed;
use super::properties::{about, family};
use crate::device::DeviceInfo;

/// The Vulkan instance of the process, which stays open.
pub(super) struct Instance {
    /// The loader, which must outlive the instance.
    pub(super) raw: ash::Instance,
    _entry: ash::Entry,
}

/// A device with a compute queue.
pub(super) struct PhysicalDevice {
    pub(super) id: vk::PhysicalDevice,
    pub(super) about: DeviceInfo,
    pub(super) properties: vk::PhysicalDeviceProperties,
    pub(super) memory: vk::PhysicalDeviceMemoryProperties,
    /// The queue family, and the valid bits of its timestamps.
    pub(super) family: u32,
    pub(super) stamps: u32,
    /// Work-items of a wave; 0 if the driver does not say.
    pub(super) wave: u32,
}

/// The version of Vulkan that the delegate needs.
const VERSION: u32 = vk::API_VERSION_1_1;

/// The process's instance.
pub(super) fn instance() -> Result<&'static Instance> {
    static INSTANCE: LazyLock<Result<Instance>> = LazyLock::new(open);
    INSTANCE.as_ref().map_err(Error::clone)
}

fn open() -> Result<Instance> {
    // SAFETY: the library is the system's Vulkan loader, whose initializers are trusted like any driver's.
    let entry =
        unsafe { ash::Entry::load() }.map_err(|error| unavailable!("no Vulkan loader was found: {error}"))?;
    // SAFETY: `entry` was loaded above.
    let version = unsafe { entry.try_enumerate_instance_version() };
    let version = version.map_err(|error| failed("Vulkan reports no version", error))?;
    if version.unwrap_or(vk::API_VERSION_1_0) < VERSION {
        return Err(unavailable!("the Vulkan loader supports only version 1.0"));
    }
    let application = vk::ApplicationInfo::default().application_name(c"arenite").api_version(VERSION);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: `info` and its pointers live until the call returns.
    let raw = unsafe { entry.create_instance(&info, None) };
    let raw = raw.map_err(|error| failed("no Vulkan driver was found", error))?;
    Ok(Instance { raw, _entry: entry })
}

/// All devices with Vulkan 1.1 and a compute queue, in the drivers' order.
pub(super) fn find() -> Result<Vec<PhysicalDevice>> {
    let instance = &instance()?.raw;
    // SAFETY: the instance lives as long as the process.
    let ids = unsafe { instance.enumerate_physical_devices() };
    let ids = ids.map_err(|error| failed("Vulkan lists no devices", error))?;
    Ok(ids.into_iter().filter_map(|id| describe(instance, id)).collect())
}

fn describe(instance: &ash::Instance, id: vk::PhysicalDevice) -> Option<PhysicalDevice> {
    // SAFETY: the instance lives as long as the process, and the device belongs to it.
    let properties = unsafe { instance.get_physical_device_properties(id) };
    if properties.api_version < VERSION {
        return None;
    }
    let mut sizes = vk::PhysicalDeviceMaintenance3Properties::default();
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut waves = vk::PhysicalDeviceSubgroupProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut sizes).push_next(&mut waves);
    if has(instance, id, ash::khr::driver_properties::NAME) {
        all = all.push_next(&mut driver);
    }
    // SAFETY: the instance lives as long as the process. The device belongs to it and supports version 1.1; the chain
    // consists of structs of that version and a supported extension.
    let (families, memory) = unsafe {
        instance.get_physical_device_properties2(id, &mut all);
        (
            instance.get_physical_device_queue_family_properties(id),
            instance.get_physical_device_memory_properties(id),
        )
    };
    let about = about(&properties, &driver, sizes.max_memory_allocation_size, &memory);
    let family = family(&families)?;
    let stamps = families[family as usize].timestamp_valid_bits;
    Some(PhysicalDevice { id, about, properties, memory, family, stamps, wave: waves.subgroup_size })
}

/// Whether the device has an extension.
fn has(instance: &ash::Instance, id: vk::PhysicalDevice, extension: &CStr) -> bool {
    // SAFETY: the instance lives as long as the process, and the device belongs to it.
    let known = unsafe { instance.enumerate_device_extension_properties(id) }.unwrap_or_default();
    known.iter().any(|known| known.extension_name_as_c_str() == Ok(extension))
}

/// All devices with Vulkan 1.1 and a compute queue, in the drivers' order.
///
/// # Errors
/// `Unavailable` if no driver is installed.
pub(super) fn devices() -> Result<Vec<DeviceInfo>> {
    Ok(find()?.into_iter().map(|found| found.about).collect())
}
