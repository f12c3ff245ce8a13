//! Devices that a delegate runs on: what they are, what kernels tell of themselves, and outputs that stay there.

pub(crate) mod raw;

use core::ffi::c_void;

use crate::host;
use crate::raw::{ArHeader, ArPair, ArStr, INTERFACE_KEEP};
use crate::{Result, unsupported};

use raw::{ArDeviceNotesV1, ArDeviceV1, ArFactNotesV1, ArKeepV1};

/// What a device tells about itself.
#[derive(Clone, Copy, Debug)]
pub struct Device<'a> {
    /// By which users choose it.
    pub name: &'a str,
    /// Who wrote the driver, and its version.
    pub driver: &'a str,
    /// `gpu`, `cpu`, or what else it is.
    pub kind: &'a str,
    /// Bytes of its memory; 0 if it does not tell.
    pub memory: u64,
}

/// Where a delegate lists its devices, in the order in which options number them.
pub struct DeviceNotes<'a> {
    raw: &'a ArDeviceNotesV1,
}

/// Most limits of one device that are listed.
const MOST_LIMITS: usize = 32;

impl<'a> DeviceNotes<'a> {
    /// # Safety
    /// The struct is valid for `'a`, and its function may be called with its context.
    #[cfg(feature = "std")]
    pub(crate) unsafe fn from_raw(raw: &'a ArDeviceNotesV1) -> Self {
        DeviceNotes { raw }
    }

    /// The next one, and what else it tells: keys and values, of which the first 32 are listed.
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
        // SAFETY: the struct, its texts and the pairs are readable for the call.
        unsafe { (self.raw.note)(self.raw.context, &raw) };
    }
}

/// Lists the devices of a delegate.
///
/// # Errors
/// [`Status::Unavailable`](crate::Status::Unavailable) where there is no driver.
pub type ListDevices = fn(&mut DeviceNotes<'_>) -> Result<()>;

/// Where a kernel tells facts about itself, for reports.
pub struct FactNotes<'a> {
    raw: &'a ArFactNotesV1,
}

impl<'a> FactNotes<'a> {
    /// # Safety
    /// The struct is valid for `'a`, and its functions may be called with its context.
    #[cfg(feature = "std")]
    pub(crate) unsafe fn from_raw(raw: &'a ArFactNotesV1) -> Self {
        FactNotes { raw }
    }

    /// A number of `unit`s, such as `bytes` or `ns`; the unit is empty for things that are counted.
    pub fn number(&mut self, key: &str, value: u64, unit: &str) {
        // SAFETY: key and unit are readable for the call.
        unsafe {
            (self.raw.number)(self.raw.context, ArStr::borrowed(key), value, ArStr::borrowed(unit));
        }
    }

    /// A text.
    pub fn text(&mut self, key: &str, value: &str) {
        // SAFETY: key and value are readable for the call.
        unsafe { (self.raw.text)(self.raw.context, ArStr::borrowed(key), ArStr::borrowed(value)) };
    }
}

/// Where a kernel says which outputs stay on its device: see [`EvalContext::keeps`](crate::EvalContext::keeps).
pub(crate) struct Keeping<'a> {
    interface: &'a ArKeepV1,
    context: *mut c_void,
}

impl Keeping<'_> {
    /// # Safety
    /// `query` answers `context` with null, or with the struct of that id, which lives as long as the process. The context is that
    /// of a call in progress for the value's life.
    pub(crate) unsafe fn find(query: crate::model::Query, context: *mut c_void) -> Option<Self> {
        // SAFETY: the caller's promise.
        let interface = unsafe { query(context, INTERFACE_KEEP).cast::<ArKeepV1>().as_ref() }?;
        Some(Keeping { interface, context })
    }

    /// Output `output` is what is kept under `handle`.
    pub(crate) fn keep(&self, output: usize, handle: u64) -> Result<()> {
        let output = u32::try_from(output).map_err(|_| unsupported!("there is no output {output}"))?;
        // SAFETY: plain values; the interface takes this context.
        host::check(unsafe { (self.interface.keep)(self.context, output, handle) })
    }
}
