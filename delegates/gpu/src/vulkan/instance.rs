//! The loader and its devices.

use std::ffi::CStr;
use std::sync::LazyLock;

use arenite_abi::prelude::*;
use ash::vk;

use super::about::{about, family};
use super::failed;
use crate::device::About;

/// Vulkan, as the process opened it; it stays open.
pub(super) struct Instance {
    /// What the loader gave, which is closed behind it.
    pub(super) raw: ash::Instance,
    _entry: ash::Entry,
}

/// A device that computes.
pub(super) struct Found {
    pub(super) id: vk::PhysicalDevice,
    pub(super) about: About,
    pub(super) properties: vk::PhysicalDeviceProperties,
    pub(super) memory: vk::PhysicalDeviceMemoryProperties,
    /// Of its queues, and how many bits of their timestamps count.
    pub(super) family: u32,
    pub(super) stamps: u32,
}

/// The version of Vulkan that the delegate needs.
const VERSION: u32 = vk::API_VERSION_1_1;

/// The process's instance.
pub(super) fn instance() -> Result<&'static Instance> {
    static INSTANCE: LazyLock<Result<Instance>> = LazyLock::new(open);
    INSTANCE.as_ref().map_err(Error::clone)
}

fn open() -> Result<Instance> {
    // SAFETY: the library is the system's loader, whose name ash knows; its initializers are trusted as those of any driver.
    let entry = unsafe { ash::Entry::load() }.map_err(|error| unavailable!("there is no Vulkan: {error}"))?;
    // SAFETY: the loader is open.
    let version = unsafe { entry.try_enumerate_instance_version() };
    let version = version.map_err(|error| failed("Vulkan does not tell its version", error))?;
    if version.unwrap_or(vk::API_VERSION_1_0) < VERSION {
        return Err(unavailable!("there is only Vulkan 1.0"));
    }
    let application = vk::ApplicationInfo::default().application_name(c"arenite").api_version(VERSION);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: `info` and what it points at live until the call returns.
    let raw = unsafe { entry.create_instance(&info, None) };
    let raw = raw.map_err(|error| failed("there is no Vulkan driver", error))?;
    Ok(Instance { raw, _entry: entry })
}

/// All devices of Vulkan 1.1 that compute, in the order of their drivers.
pub(super) fn find() -> Result<Vec<Found>> {
    let instance = &instance()?.raw;
    // SAFETY: the instance lives as long as the process.
    let ids = unsafe { instance.enumerate_physical_devices() };
    let ids = ids.map_err(|error| failed("Vulkan does not tell its devices", error))?;
    Ok(ids.into_iter().filter_map(|id| describe(instance, id)).collect())
}

fn describe(instance: &ash::Instance, id: vk::PhysicalDevice) -> Option<Found> {
    // SAFETY: the instance lives as long as the process, and the device is one of its own.
    let properties = unsafe { instance.get_physical_device_properties(id) };
    if properties.api_version < VERSION {
        return None;
    }
    let mut sizes = vk::PhysicalDeviceMaintenance3Properties::default();
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut sizes);
    if has(instance, id, ash::khr::driver_properties::NAME) {
        all = all.push_next(&mut driver);
    }
    // SAFETY: the instance lives as long as the process. The device is its own and of version 1.1; the chain is of structs of that version
    // and of an extension that the device has.
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
    Some(Found { id, about, properties, memory, family, stamps })
}

/// Whether the device has an extension.
fn has(instance: &ash::Instance, id: vk::PhysicalDevice, extension: &CStr) -> bool {
    // SAFETY: the instance lives as long as the process, and the device is one of its own.
    let known = unsafe { instance.enumerate_device_extension_properties(id) }.unwrap_or_default();
    known.iter().any(|known| known.extension_name_as_c_str() == Ok(extension))
}

/// All devices of Vulkan 1.1 that compute, in the order of their drivers.
///
/// # Errors
/// `Unavailable` if there is no driver.
pub fn devices() -> Result<Vec<About>> {
    Ok(find()?.into_iter().map(|found| found.about).collect())
}
