//! A registration, and what it keeps alive.

use std::ffi::c_void;
use std::ops::Deref;
use std::sync::Arc;

use arenite_abi::UserData;
use arenite_abi::raw::{
    ArAssignV1, ArAssignmentV1, ArCreateV1, ArDelegateV1, ArPair, ArPlanRequestV1, ArPlanV1, ArPlannerV1,
    ArStatus, ArStr, INTERFACE_ASSIGN, INTERFACE_CREATE, INTERFACE_PLAN,
};

use super::foreign::{self, Foreign};
use super::registry::PROGRAM;
use crate::host::devices::{self, DeviceInfo};

/// An op, a planner or a delegate that a plugin offers, or that the program handed over. Whoever may call its functions holds it.
pub(crate) struct Registration<R> {
    raw: R,
    /// Id of the plugin.
    pub plugin: Arc<str>,
    /// What the program handed over with it; a plugin's registrations live as long as the process.
    user_data: Option<UserData>,
    /// What `raw` borrows, if the program gave the name.
    _name: Box<str>,
}

impl<R> Registration<R> {
    /// A plugin's own.
    pub fn of_plugin(raw: R, plugin: &Arc<str>) -> Arc<Self> {
        Arc::new(Registration { raw, plugin: Arc::clone(plugin), user_data: None, _name: "".into() })
    }

    /// Handed over under this name, which `named` puts into the struct.
    pub fn handed_over(
        mut raw: R,
        name: &str,
        named: impl FnOnce(&mut R, ArStr),
        user_data: UserData,
    ) -> Arc<Self> {
        let name: Box<str> = name.into();
        named(&mut raw, ArStr::borrowed(&name));
        Arc::new(Registration { raw, plugin: PROGRAM.into(), user_data: Some(user_data), _name: name })
    }

    /// Null for a plugin's own.
    pub fn user_data(&self) -> *mut c_void {
        self.user_data.as_ref().map_or(std::ptr::null_mut(), UserData::pointer)
    }
}

impl<R> Deref for Registration<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.raw
    }
}

/// The function that `query` answers the ids of interfaces with.
pub(crate) type Query = Option<unsafe extern "C" fn(interface: u64) -> *const c_void>;

/// The interface with this id. One with a wrong header or a null function was refused when its owner was registered; where `query`
/// answers otherwise later, there is none.
///
/// # Safety
/// `T` is the struct of that id.
pub(crate) unsafe fn interface<T: Foreign>(query: Query, id: u64) -> Option<T> {
    // SAFETY: `query` answers with null or a struct that lives as long as the process.
    unsafe {
        let found = query?(id).cast::<T>();
        if found.is_null() { None } else { foreign::read(found, "the interface").ok() }
    }
}

impl Registration<ArPlannerV1> {
    /// Its function that gets user data, if it was handed over.
    fn with_user_data(&self) -> Option<ArPlanV1> {
        self.user_data.as_ref()?;
        // SAFETY: the struct of that id.
        unsafe { interface(self.query, INTERFACE_PLAN) }
    }

    pub fn takes_user_data(&self) -> bool {
        self.with_user_data().is_some()
    }

    /// # Safety
    /// Both structs and their arrays are valid for the call.
    pub unsafe fn plan(&self, request: *const ArPlanRequestV1, assignment: *mut ArAssignmentV1) -> ArStatus {
        // SAFETY: `plan` requires structs that are valid for the call; the user data is this registration's, which keeps it alive.
        unsafe {
            match self.with_user_data() {
                Some(more) => (more.plan)(self.user_data(), request, assignment),
                None => (self.raw.plan)(request, assignment),
            }
        }
    }
}

impl Registration<ArPlannerV1> {
    /// Its function that hands out shared objects, if it has one.
    pub fn assigns(&self) -> Option<ArAssignV1> {
        // SAFETY: the struct of that id.
        unsafe { interface(self.query, INTERFACE_ASSIGN) }
    }
}

impl Registration<ArDelegateV1> {
    /// Its function that gets user data, if it was handed over.
    fn with_user_data(&self) -> Option<ArCreateV1> {
        self.user_data.as_ref()?;
        // SAFETY: the struct of that id.
        unsafe { interface(self.query, INTERFACE_CREATE) }
    }

    pub fn takes_user_data(&self) -> bool {
        self.with_user_data().is_some()
    }

    /// The devices that it runs on; `None` if it has no such thing. The error says why there are none.
    pub fn devices(&self) -> Option<Result<Vec<DeviceInfo>, String>> {
        // SAFETY: the delegate's own.
        unsafe { devices::list(self.query) }
    }

    /// # Safety
    /// The pairs are valid for the call; the result is writable.
    pub unsafe fn create(&self, options: &[ArPair], delegate: *mut *mut c_void) -> ArStatus {
        // SAFETY: `create` requires valid pairs and a writable result; the user data is this registration's, which keeps it alive.
        unsafe {
            match self.with_user_data() {
                Some(more) => (more.create)(self.user_data(), options.as_ptr(), options.len(), delegate),
                None => (self.raw.create)(options.as_ptr(), options.len(), delegate),
            }
        }
    }
}
