//! The devices that delegates list, and the facts that kernels report.

use std::ffi::c_void;

use arenite_abi::Status;
use arenite_abi::raw::{
    ArDeviceNotesV1, ArDeviceV1, ArDevicesV1, ArFactNotesV1, ArFactsV1, ArHeader, ArStr, INTERFACE_DEVICES,
    INTERFACE_FACTS, slice,
};

use crate::host::message;
use crate::plugins::foreign::{Query, interface};

/// A device that a delegate can run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The name by which users select it.
    pub name: String,
    /// Vendor and version of the driver.
    pub driver: String,
    /// The kind, such as `gpu` or `cpu`.
    pub kind: String,
    /// Bytes of its memory, if the delegate reports it.
    pub memory: Option<u64>,
    /// Further properties, as name and value.
    pub limits: Vec<(String, String)>,
}

/// The devices of a delegate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelegateDevices {
    /// The delegate's name.
    pub delegate: String,
    /// The devices, in the order in which options number them, or why the delegate found no device, for example because
    /// no driver is installed.
    pub devices: Result<Vec<DeviceInfo>, String>,
}

/// A fact that a kernel reports about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The name of the fact, such as the memory on the device.
    pub key: String,
    /// The value.
    pub value: FactValue,
}

/// The value of a [`Fact`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactValue {
    /// A number and its unit, such as `bytes` or `ns`; the unit is empty for a count.
    Number(u64, String),
    /// Text.
    Text(String),
}

/// Limit on the devices, the properties of a device, and the facts that are listed.
const MOST: usize = 256;

/// The devices of a delegate; `None` if it has no interface for devices.
///
/// # Safety
/// `query` is the function of a delegate.
pub(crate) unsafe fn list(query: Query) -> Option<Result<Vec<DeviceInfo>, String>> {
    // SAFETY: `query` is a delegate's, which answers with null or with the struct of that id (`arenite_plugin.h`).
    let devices = unsafe { interface::<ArDevicesV1>(query, INTERFACE_DEVICES) }?;
    let mut found: Vec<DeviceInfo> = Vec::new();
    let notes = ArDeviceNotesV1 {
        header: ArHeader::of::<ArDeviceNotesV1>(),
        context: (&raw mut found).cast(),
        note: note_device,
    };
    message::clear_message();
    // SAFETY: the struct is valid for the call.
    let status = unsafe { (devices.list)(&notes) };
    Some(match status == Status::Ok as u32 {
        true => Ok(found),
        false => Err(message::take_message("it does not say why it has none")),
    })
}

unsafe extern "C" fn note_device(context: *mut c_void, device: *const ArDeviceV1) {
    // SAFETY: the context is the list of the call in progress; the device, its texts and pairs are readable for it.
    unsafe {
        let (found, device) = (&mut *context.cast::<Vec<DeviceInfo>>(), &*device);
        let text = |text: ArStr| text.as_str().to_owned();
        let limits = slice(device.limits, device.limit_count.min(MOST));
        if found.len() < MOST {
            found.push(DeviceInfo {
                name: text(device.name),
                driver: text(device.driver),
                kind: text(device.kind),
                memory: (device.memory > 0).then_some(device.memory),
                limits: limits.iter().map(|pair| (text(pair.key), text(pair.value))).collect(),
            });
        }
    }
}

/// The facts that a kernel reports, and the status of the call; `None` if it has no interface for facts.
///
/// # Safety
/// `query` is the function of the kernel's delegate, and no other call uses the kernel at the same time.
pub(crate) unsafe fn facts(query: Query, kernel: *mut c_void) -> Option<(Vec<Fact>, Status)> {
    // SAFETY: `query` is a delegate's, which answers with null or with the struct of that id (`arenite_plugin.h`).
    let tells = unsafe { interface::<ArFactsV1>(query, INTERFACE_FACTS) }?;
    let mut found: Vec<Fact> = Vec::new();
    let notes = ArFactNotesV1 {
        header: ArHeader::of::<ArFactNotesV1>(),
        context: (&raw mut found).cast(),
        number: note_number,
        text: note_text,
    };
    // SAFETY: the struct is valid for the call. `kernel` belongs to this delegate and no other call uses it, as this
    // function requires.
    let status = unsafe { (tells.tell)(kernel, &notes) };
    Some((found, Status::from_raw(status)))
}

unsafe extern "C" fn note_number(context: *mut c_void, key: ArStr, value: u64, unit: ArStr) {
    // SAFETY: the contract makes `unit` and `key` readable for the call; the context is the one that `facts` passed.
    unsafe { note(context, key, FactValue::Number(value, unit.as_str().to_owned())) }
}

unsafe extern "C" fn note_text(context: *mut c_void, key: ArStr, value: ArStr) {
    // SAFETY: the contract makes `value` and `key` readable for the call; the context is the one that `facts` passed.
    unsafe { note(context, key, FactValue::Text(value.as_str().to_owned())) }
}

/// # Safety
/// The context is the facts of the call in progress; the key is readable for it.
unsafe fn note(context: *mut c_void, key: ArStr, value: FactValue) {
    // SAFETY: `facts` passes `found` as the context and uses it again after the call only; `key` is readable for the
    // call.
    unsafe {
        let found = &mut *context.cast::<Vec<Fact>>();
        if found.len() < MOST {
            found.push(Fact { key: key.as_str().to_owned(), value });
        }
    }
}
