//! A registration, together with the data it keeps alive.

use std::ffi::c_void;
use std::ops::Deref;
use std::sync::Arc;

use arenite_abi::UserData;
use arenite_abi::raw::{
    ArAssignV1, ArAssignmentV1, ArCreateV1, ArDelegateV1, ArNoSharingV1, ArOpV1, ArPair, ArPlanRequestV1,
    ArPlanV1, ArPlannerV1, ArStatus, ArStr, INTERFACE_ASSIGN, INTERFACE_CREATE, INTERFACE_NO_SHARING,
    INTERFACE_PLAN,
};

use super::foreign::interface;
use crate::host::devices::{self, DeviceInfo};

/// The id of the plugin that represents everything the program registers itself.
pub const PROGRAM: &str = "program";

pub(crate) type OpRegistration = Arc<Registration<ArOpV1>>;
pub(crate) type PlannerRegistration = Arc<Registration<ArPlannerV1>>;
pub(crate) type DelegateRegistration = Arc<Registration<ArDelegateV1>>;

/// An op, planner or delegate, from a plugin or from the program. It must stay alive while its functions are called.
pub(crate) struct Registration<R> {
    raw: R,
    /// The plugin's id.
    pub plugin: Arc<str>,
    /// The program's data for its functions. A plugin's registrations live as long as the process.
    user_data: Option<UserData>,
    /// The name that `raw` borrows, if the program gave it.
    _name: Box<str>,
}

impl<R> Registration<R> {
    /// A registration of a plugin.
    pub(crate) fn of_plugin(raw: R, plugin: &Arc<str>) -> Arc<Self> {
        Arc::new(Registration { raw, plugin: Arc::clone(plugin), user_data: None, _name: "".into() })
    }

    /// A registration of the program, with this name; `named` writes the name into the struct.
    pub(crate) fn handed_over(
        mut raw: R,
        name: &str,
        named: impl FnOnce(&mut R, ArStr),
        user_data: UserData,
    ) -> Arc<Self> {
        let name: Box<str> = name.into();
        named(&mut raw, ArStr::borrowed(&name));
        Arc::new(Registration { raw, plugin: PROGRAM.into(), user_data: Some(user_data), _name: name })
    }

    /// The user data; null for a plugin.
    pub(crate) fn user_data(&self) -> *mut c_void {
        self.user_data.as_ref().map_or(std::ptr::null_mut(), UserData::pointer)
    }
}

impl<R> Deref for Registration<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.raw
    }
}

impl Registration<ArOpV1> {
    /// A copy for another host; `None` for an op of the program, which may have user data.
    pub(crate) fn of_process(&self) -> Option<arenite_abi::op::Registration> {
        if self.user_data.is_some() {
            return None;
        }
        // SAFETY: a plugin's registration lives as long as the process, and `descriptor` checked it.
        Some(unsafe { arenite_abi::op::Registration::from_raw(self.raw) })
    }
}

impl Registration<ArPlannerV1> {
    /// The function that takes user data, if the program handed it over.
    fn with_user_data(&self) -> Option<ArPlanV1> {
        self.user_data.as_ref()?;
        // SAFETY: the struct of that id.
        unsafe { interface(self.query, INTERFACE_PLAN) }
    }

    pub(crate) fn takes_user_data(&self) -> bool {
        self.with_user_data().is_some()
    }

    /// # Safety
    /// Both structs and their arrays are valid for the call.
    pub(crate) unsafe fn plan(
        &self,
        request: *const ArPlanRequestV1,
        assignment: *mut ArAssignmentV1,
    ) -> ArStatus {
        // SAFETY: `plan` requires structs that are valid for the call; the user data is this registration's, which
        // keeps it alive.
        unsafe {
            match self.with_user_data() {
                Some(more) => (more.plan)(self.user_data(), request, assignment),
                None => (self.raw.plan)(request, assignment),
            }
        }
    }
}

impl Registration<ArPlannerV1> {
    /// The function that assigns shared objects, if the planner has one.
    pub(crate) fn assigns(&self) -> Option<ArAssignV1> {
        // SAFETY: the struct of that id.
        unsafe { interface(self.query, INTERFACE_ASSIGN) }
    }

    /// Whether it may let two records share memory.
    pub(crate) fn shares_memory(&self) -> bool {
        // SAFETY: the struct of that id.
        unsafe { interface::<ArNoSharingV1>(self.query, INTERFACE_NO_SHARING) }.is_none()
    }
}

impl Registration<ArDelegateV1> {
    /// The function that takes user data, if the program handed it over.
    fn with_user_data(&self) -> Option<ArCreateV1> {
        self.user_data.as_ref()?;
        // SAFETY: the struct of that id.
        unsafe { interface(self.query, INTERFACE_CREATE) }
    }

    pub(crate) fn takes_user_data(&self) -> bool {
        self.with_user_data().is_some()
    }

    /// The devices that it can run on, or why it found no device; `None` if it has no interface for devices.
    pub(crate) fn devices(&self) -> Option<Result<Vec<DeviceInfo>, String>> {
        // SAFETY: `query` is this delegate's function.
        unsafe { devices::list(self.query) }
    }

    /// # Safety
    /// The pairs are valid for the call; the result is writable.
    pub(crate) unsafe fn create(&self, options: &[ArPair], delegate: *mut *mut c_void) -> ArStatus {
        // SAFETY: `create` requires valid pairs and a writable result; the user data is this registration's, which
        // keeps it alive.
        unsafe {
            match self.with_user_data() {
                Some(more) => (more.create)(self.user_data(), options.as_ptr(), options.len(), delegate),
                None => (self.raw.create)(options.as_ptr(), options.len(), delegate),
            }
        }
    }
}
