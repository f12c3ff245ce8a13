//! OpenCL as a backend of the delegate.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use arenite_abi::host::{self, LogLevel};
use arenite_abi::prelude::*;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device as ClDevice};
use opencl3::platform::get_platforms;

use super::device::{Device, about};
use super::failed;
use super::queue::Queue;
use crate::device::{self, DeviceInfo, Settings, Slots, choose};
use crate::work_groups::Tuning;

fn find() -> Result<Vec<ClDevice>> {
    let platforms = get_platforms().map_err(|error| failed("no OpenCL driver was found", error))?;
    let ids = platforms.iter().filter_map(|platform| platform.get_devices(CL_DEVICE_TYPE_ALL).ok()).flatten();
    Ok(ids.map(ClDevice::new).collect())
}

/// Open devices by number. They stay open: some drivers fail when contexts are created repeatedly.
type OpenDevices = HashMap<usize, Arc<Device>>;

/// The lock is held while a driver lists devices: some drivers cannot initialize from two threads.
fn open_devices() -> MutexGuard<'static, OpenDevices> {
    static OPEN: LazyLock<Mutex<OpenDevices>> = LazyLock::new(Mutex::default);
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl device::Device for Device {
    const NAME: &'static str = "opencl";
    // An epilogue is text of any length.
    const SLOTS: Slots = Slots { functions: usize::MAX, operands: usize::MAX };
    const KEEPS: bool = true;
    const BINDS: bool = true;
    const HAS_TILES: bool = true;
    const HAS_WINOGRAD: bool = true;
    const HAS_HALVES: bool = true;
    type Queue = Queue;

    fn list() -> Result<Vec<DeviceInfo>> {
        let _one_by_one = open_devices();
        find()?.iter().map(about).collect()
    }

    fn about(&self) -> Option<&DeviceInfo> {
        Some(self.limits())
    }

    fn open(choice: Option<&str>) -> Result<Arc<Device>> {
        let mut open = open_devices();
        let found = find()?;
        let about = found.iter().map(about).collect::<Result<Vec<_>>>()?;
        let position = choose(&about, choice, "OpenCL")?;
        if let Some(device) = open.get(&position) {
            return Ok(Arc::clone(device));
        }
        let about = about[position].clone();
        host::log(
            LogLevel::Info,
            "arenite_gpu",
            &format!("OpenCL device {}, driver {}", about.name, about.driver),
        );
        let device = Arc::new(Device::new(ClDevice::new(found[position].id()), about)?);
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
