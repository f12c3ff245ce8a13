//! Devices of delegates: their properties, facts that kernels report, and outputs kept in device memory.

pub(crate) mod raw;

use core::ffi::c_void;

use crate::host;
use crate::raw::{ArHeader, ArPair, ArStr, INTERFACE_KEEP};
use crate::{Result, unsupported};

use raw::{ArDeviceNotesV1, ArDeviceV1, ArFactNotesV1, ArKeepV1};

/// The properties of a device.
#[derive(Clone, Copy, Debug)]
pub struct Device<'a> {
    /// The name by which users select it.
    pub name: &'a str,
    /// Vendor and version of the driver.
    pub driver: &'a str,
    /// `gpu`, `cpu`, or another kind.
    pub kind: &'a str,
    /// Bytes of its memory; 0 if unknown.
    pub memory: u64,
}

/// Receives a delegate's devices, in the order in which its options number them.
pub struct DeviceNotes<'a> {
    raw: &'a ArDeviceNotesV1,
}

/// Maximum number of limits listed per device.
const MOST_LIMITS: usize = 32;

impl<'a> DeviceNotes<'a> {
    /// Wraps the host's struct.
    ///
    /// # Safety
    /// The struct must be valid for `'a`, and its function must accept its context.
    #[cfg(feature = "std")]
    pub(crate) unsafe fn from_raw(raw: &'a ArDeviceNotesV1) -> Self {
        DeviceNotes { raw }
    }

    /// Adds the next device. `limits` has more of its properties, as keys and values; only the first 32 are listed.
    pub fn note(&mut self, device: &Device<'_>, limits: &[(&str, &str)]) {
        let mut pairs = [ArPair { key: ArStr::new(""), value: ArStr::new("") }; MOST_LIMITS];
        let count = limits.len().min(MOST_LIMITS);
        for (pair, &(key, value)) in pairs.iter_mut().zip(limits) {
            *pair = ArPair { key: ArStr::borrowed(key), value: ArStr::borrowed(value) };
        }
        let raw = ArDeviceV1 {
            header: ArHeader::of::<ArDeviceV1>(),
            name: ArStr::borrowed(device.name),
            driver: ArStr::borrowed(device.driver),
            kind: ArStr::borrowed(device.kind),
            memory: device.memory,
            limits: pairs.as_ptr(),
            limit_count: count,
        };
        // SAFETY: the struct, its texts and the pairs are readable during the call, and `from_raw` requires that the
        // function accepts this context.
        unsafe { (self.raw.note)(self.raw.context, &raw) };
    }
}

/// Lists the devices of a delegate.
///
/// # Errors
/// [`Status::Unavailable`](crate::Status::Unavailable) if there is no driver.
pub type ListDevices = fn(&mut DeviceNotes<'_>) -> Result<()>;

/// An object of a device's API, such as a `cl_mem` or a `VkBuffer`, that a program [binds](crate::Delegate::bind) to a
/// tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceObject(u64);

impl DeviceObject {
    /// Wraps an object's pointer or number.
    ///
    /// # Safety
    /// It is an object of the kind that the delegate binds, and lives until it is unbound.
    pub unsafe fn from_raw(raw: u64) -> Self {
        DeviceObject(raw)
    }

    /// The pointer or number.
    pub fn raw(self) -> u64 {
        self.0
    }
}

/// Receives facts that a kernel reports about itself.
pub struct FactNotes<'a> {
    raw: &'a ArFactNotesV1,
}

impl<'a> FactNotes<'a> {
    /// Wraps the host's struct.
    ///
    /// # Safety
    /// The struct must be valid for `'a`, and its functions must accept its context.
    #[cfg(feature = "std")]
    pub(crate) unsafe fn from_raw(raw: &'a ArFactNotesV1) -> Self {
        FactNotes { raw }
    }

    /// Reports a number with a unit, such as `bytes` or `ns`; the unit is empty for counts.
    pub fn number(&mut self, key: &str, value: u64, unit: &str) {
        // SAFETY: key and unit are readable during the call, and `from_raw` requires that the function accepts this
        // context.
        unsafe {
            (self.raw.number)(self.raw.context, ArStr::borrowed(key), value, ArStr::borrowed(unit));
        }
    }

    /// Reports a text.
    pub fn text(&mut self, key: &str, value: &str) {
        // SAFETY: key and value are readable during the call, and `from_raw` requires that the function accepts this
        // context.
        unsafe { (self.raw.text)(self.raw.context, ArStr::borrowed(key), ArStr::borrowed(value)) };
    }
}

/// Lets a kernel keep outputs on its device, see [`EvalContext::keeps`](crate::EvalContext::keeps).
pub(crate) struct Keeping<'a> {
    interface: &'a ArKeepV1,
    context: *mut c_void,
}

impl Keeping<'_> {
    /// Asks the host for its interface.
    ///
    /// # Safety
    /// For `context`, `query` must return null or the struct of the requested interface, valid as long as the process.
    /// `context` must belong to a call that is in progress as long as the value is used.
    pub(crate) unsafe fn find(query: crate::model::Query, context: *mut c_void) -> Option<Self> {
        // SAFETY: the caller guarantees that `query` returns null or an `ArKeepV1` for this id.
        let interface = unsafe { query(context, INTERFACE_KEEP).cast::<ArKeepV1>().as_ref() }?;
        Some(Keeping { interface, context })
    }

    /// Keeps the value of output `output` under `handle`.
    ///
    /// # Errors
    /// The output does not exist, or the host needs its value.
    pub(crate) fn keep(&self, output: usize, handle: u64) -> Result<()> {
        let output = u32::try_from(output).map_err(|_| unsupported!("output {output} does not exist"))?;
        // SAFETY: the arguments are plain values, and the function belongs to the interface of this context.
        host::check(unsafe { (self.interface.keep)(self.context, output, handle) })
    }
}
