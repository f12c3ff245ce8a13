//! Vulkan as a backend of the delegate.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use arenite_abi::host::{self, LogLevel};
use arenite_abi::prelude::*;

use super::device::Device;
use super::instance::{devices, find};
use super::kernels::{OPERANDS, SLOTS};
use super::queue::Queue;
use crate::device::{self, DeviceInfo, Settings, Slots, choose};
use crate::work_groups::Tuning;

impl device::Device for Device {
    const NAME: &'static str = "vulkan";
    const SLOTS: Slots = Slots { functions: SLOTS, operands: OPERANDS };
    const KEEPS: bool = true;
    const BINDS: bool = true;
    const HAS_TILES: bool = true;
    const HAS_PRODUCTS: bool = true;
    const HAS_WINOGRAD: bool = true;
    const HAS_HALVES: bool = true;
    type Queue = Queue;

    fn list() -> Result<Vec<DeviceInfo>> {
        devices()
    }

    fn about(&self) -> Option<&DeviceInfo> {
        Some(&self.about)
    }

    fn open(choice: Option<&str>) -> Result<Arc<Device>> {
        /// Open devices by their number.
        type OpenDevices = HashMap<usize, Arc<Device>>;
        static OPEN: LazyLock<Mutex<OpenDevices>> = LazyLock::new(Mutex::default);
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let found = find()?;
        let about: Vec<DeviceInfo> = found.iter().map(|found| found.about.clone()).collect();
        let position = choose(&about, choice, "Vulkan")?;
        open.retain(|_, device| !device.logical.is_lost());
        if let Some(device) = open.get(&position) {
            return Ok(Arc::clone(device));
        }
        let device = Arc::new(Device::new(&found[position])?);
        let DeviceInfo { name, driver, .. } = &device.about;
        host::log(LogLevel::Info, "arenite_gpu", &format!("Vulkan device {name}, driver {driver}"));
        open.insert(position, Arc::clone(&device));
        Ok(device)
    }

    fn queue(self: &Arc<Self>) -> Result<Queue> {
        self.queue_with(&Settings { tuning: Tuning::Fast, cache: None })
    }

    fn queue_with(self: &Arc<Self>, settings: &Settings) -> Result<Queue> {
        Queue::new(Arc::clone(self), settings)
    }
}
