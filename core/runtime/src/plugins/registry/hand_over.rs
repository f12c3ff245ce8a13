//! Ops, planners and delegates that the program registers itself, with user data.

use std::ops::RangeInclusive;
use std::sync::Arc;

use arenite_abi::object::{self, OpObject, UserData};
use arenite_abi::raw::{ArDelegateV1, ArHostV1, ArOpV1, ArPlannerV1, BUILTIN_CUSTOM, OP_USER_DATA};
use arenite_abi::{AssignmentMut, Delegate, OptionPairs, PlanRequest};

use super::{AbiVersion, Candidate, OpInfo, Origin, PluginInfo, Registry};
use crate::error::{Error, ItemKind, Result};
use crate::host::{HOST, op_schemas};
use crate::plugins::descriptor::{check_delegate, check_op, check_planner, clash, name as checked_name};
use crate::plugins::foreign;
use crate::plugins::op_key::OpKey;
use crate::plugins::registration::{
    DelegateRegistration, OpRegistration, PROGRAM, PlannerRegistration, Registration,
};

impl From<&str> for OpKey {
    /// A custom op.
    fn from(name: &str) -> Self {
        OpKey::Custom(name.to_owned())
    }
}

impl Registry {
    /// Registers an op for these versions of `key`, which is a custom op's name or an [`OpKey::Builtin`]. The value
    /// implements [`OpObject`] or comes from [`closures`](arenite_abi::object::closures). The op is listed under the
    /// plugin [`PROGRAM`] and takes precedence over later registrations.
    ///
    /// The registry and its interpreters share the value; it is dropped after the last of them.
    ///
    /// ```
    /// # use arenite_runtime as arenite;
    /// use arenite::Registry;
    /// use arenite::abi::object::closures;
    ///
    /// let mut registry = Registry::new();
    /// let factor = 2.5f32;
    /// let scale = closures(
    ///     |node, cx| cx.set_output_shape(0, node.unary()?.0.shape),
    ///     move |(), cx| {
    ///         let (x, y) = (cx.input(0)?, cx.output(0)?);
    ///         let y = y.into_slice::<f32>()?;
    ///         y.iter_mut().zip(x.as_slice::<f32>()?).for_each(|(y, x)| *y = factor * x);
    ///         Ok(())
    ///     },
    /// );
    /// registry.add_op("Scale", 1..=1, scale)?;
    /// # Ok::<(), arenite::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Registration`] if no op can have this name, number or these versions, or if an op that the program
    /// added earlier serves some of the same nodes. Nothing is registered then.
    pub fn add_op(
        &mut self,
        key: impl Into<OpKey>,
        versions: RangeInclusive<i32>,
        op: impl OpObject,
    ) -> Result<()> {
        let object::Object { registration, user_data } = object::op(op);
        let (builtin_code, name) = match key.into() {
            OpKey::Builtin(code) => (code, String::new()),
            OpKey::Custom(name) => (BUILTIN_CUSTOM, name),
        };
        let (min_version, max_version) = versions.into_inner();
        let op = ArOpV1 { builtin_code, min_version, max_version, ..registration };
        self.hand_over_op(op, &name, user_data)
    }

    /// Like [`add_op`](Self::add_op), for a C registration, which is copied. If the op has the flag [`OP_USER_DATA`],
    /// the first word of each node's state holds the user data before `prepare` is called; otherwise the pointer must
    /// be null. The user data is dropped even if this fails.
    ///
    /// # Errors
    /// As [`add_op`](Self::add_op); also a missing function, or user data that the op cannot take.
    ///
    /// # Safety
    /// The registration follows the contract: its name is readable now, and its functions stay valid until the user
    /// data is dropped.
    pub unsafe fn add_raw_op(&mut self, op: *const ArOpV1, user_data: UserData) -> Result<()> {
        // SAFETY: the struct is readable, as this function requires; `read` checks its functions for null.
        let op =
            unsafe { foreign::read(op, "the op") }.map_err(|message| refused(ItemKind::Op, "", message))?;
        let name = match OpKey::of(&op) {
            OpKey::Builtin(_) => String::new(),
            OpKey::Custom(name) => name,
        };
        self.hand_over_op(op, &name, user_data)
    }

    fn hand_over_op(&mut self, op: ArOpV1, name: &str, user_data: UserData) -> Result<()> {
        let has_room = op.flags & OP_USER_DATA != 0;
        let op = Registration::handed_over(op, name, |op, name| op.custom_name = name, user_data);
        let key = check_op(&op).and_then(|key| check_user_data(&op, has_room).map(|()| key));
        match key {
            Ok(key) => self.push_op(&key, &op),
            Err(message) => Err(refused(ItemKind::Op, &OpKey::of(&op).name(), message)),
        }
    }

    fn push_op(&mut self, key: &OpKey, op: &OpRegistration) -> Result<()> {
        let clashes = |other: &&Candidate| &*other.op.plugin == PROGRAM && clash(&other.op, op);
        if let Some(Candidate { op: other, .. }) = self.ops_of(key).find(clashes) {
            let message = format!(
                "it has versions {} to {}, and the program handed over an op with versions {} to {} before, which serves some of the \
                 same nodes",
                op.min_version, op.max_version, other.min_version, other.max_version
            );
            return Err(refused(ItemKind::Op, &key.name(), message));
        }
        op_schemas::note(op);
        let info = OpInfo::of(key, op);
        let plugin = self.program(|program| program.ops.push(info));
        let next = self.ops.partition_point(|(other, _)| other <= key);
        self.ops.insert(next, (key.clone(), Candidate { op: Arc::clone(op), plugin, is_chosen: false }));
        Ok(())
    }

    /// Registers a planner: a function that assigns an offset to each record. The registry and its interpreters share
    /// it.
    ///
    /// # Errors
    /// [`Error::Registration`] for a name that is empty, not printable or taken. Nothing is registered then.
    pub fn add_planner<F>(&mut self, name: &str, plan: F) -> Result<()>
    where
        F: Fn(&PlanRequest<'_>, &mut AssignmentMut<'_>) -> arenite_abi::Result<()> + Send + Sync + 'static,
    {
        let object::Object { registration, user_data } = object::planner(plan);
        self.hand_over_planner(registration, name, user_data)
    }

    /// Like [`add_planner`](Self::add_planner), for a C registration, which is copied. If its `query` has
    /// [`INTERFACE_PLAN`](arenite_abi::raw::INTERFACE_PLAN), that function is called with the user data; otherwise the
    /// pointer must be null. The user data is dropped even if this fails.
    ///
    /// # Errors
    /// As [`add_planner`](Self::add_planner); also a missing function, or user data that the planner cannot take.
    ///
    /// # Safety
    /// As [`add_raw_op`](Self::add_raw_op).
    pub unsafe fn add_raw_planner(&mut self, planner: *const ArPlannerV1, user_data: UserData) -> Result<()> {
        // SAFETY: the struct and its name are readable, as this function requires.
        let (planner, name) = unsafe {
            let planner = foreign::read(planner, "the planner")
                .map_err(|message| refused(ItemKind::Planner, "", message))?;
            (planner, planner.name.as_str())
        };
        self.hand_over_planner(planner, name, user_data)
    }

    fn hand_over_planner(&mut self, planner: ArPlannerV1, name: &str, user_data: UserData) -> Result<()> {
        let planner =
            Registration::handed_over(planner, name, |planner, name| planner.name = name, user_data);
        checked_name(planner.name, "its name")
            .and_then(|_| check_planner(&planner))
            .and_then(|_| check_user_data(&planner, planner.takes_user_data()))
            .map_err(|message| refused(ItemKind::Planner, name, message))?;
        self.push_planner(name, &planner)
    }

    fn push_planner(&mut self, name: &str, planner: &PlannerRegistration) -> Result<()> {
        let other = self.planners.iter().find(|(other, _)| other == name);
        check_free(ItemKind::Planner, name, other.map(|(_, other)| &*other.plugin))?;
        self.program(|program| program.planners.push(name.to_owned()));
        self.planners.push((name.to_owned(), Arc::clone(planner)));
        Ok(())
    }

    /// Registers a delegate: `create` makes each instance of it. The registry and its interpreters share `create`.
    ///
    /// # Errors
    /// [`Error::Registration`] for a name that is empty, not printable or taken. Nothing is registered then.
    pub fn add_delegate<D, F>(&mut self, name: &str, create: F) -> Result<()>
    where
        D: Delegate,
        F: Fn(&OptionPairs<'_>) -> arenite_abi::Result<D> + Send + Sync + 'static,
    {
        let object::Object { registration, user_data } = object::delegate(create);
        self.hand_over_delegate(registration, name, user_data)
    }

    /// Like [`add_delegate`](Self::add_delegate), for a C registration, which is copied. If its `query` has
    /// [`INTERFACE_CREATE`](arenite_abi::raw::INTERFACE_CREATE), that function is called with the user data; otherwise
    /// the pointer must be null. The user data is dropped even if this fails.
    ///
    /// # Errors
    /// As [`add_delegate`](Self::add_delegate); also a missing function, or user data that the delegate cannot take.
    ///
    /// # Safety
    /// As [`add_raw_op`](Self::add_raw_op).
    pub unsafe fn add_raw_delegate(
        &mut self,
        delegate: *const ArDelegateV1,
        user_data: UserData,
    ) -> Result<()> {
        // SAFETY: the struct and its name are readable, as this function requires.
        let (delegate, name) = unsafe {
            let delegate = foreign::read(delegate, "the delegate")
                .map_err(|message| refused(ItemKind::Delegate, "", message))?;
            (delegate, delegate.name.as_str())
        };
        self.hand_over_delegate(delegate, name, user_data)
    }

    fn hand_over_delegate(&mut self, delegate: ArDelegateV1, name: &str, user_data: UserData) -> Result<()> {
        let delegate =
            Registration::handed_over(delegate, name, |delegate, name| delegate.name = name, user_data);
        checked_name(delegate.name, "its name")
            .and_then(|_| check_delegate(&delegate))
            .and_then(|_| check_user_data(&delegate, delegate.takes_user_data()))
            .map_err(|message| refused(ItemKind::Delegate, name, message))?;
        self.push_delegate(name, &delegate)
    }

    fn push_delegate(&mut self, name: &str, delegate: &DelegateRegistration) -> Result<()> {
        let other = self.delegates.iter().find(|(other, _)| other == name);
        check_free(ItemKind::Delegate, name, other.map(|(_, other)| &*other.plugin))?;
        self.program(|program| program.delegates.push(name.to_owned()));
        self.delegates.push((name.to_owned(), Arc::clone(delegate)));
        Ok(())
    }

    /// The host functions that a plugin gets in its handshake. Raw registrations use them to report errors and to run
    /// loops.
    pub fn host() -> &'static ArHostV1 {
        &HOST
    }

    /// Also registers here everything that the program added to `other`.
    ///
    /// # Errors
    /// See [`add_op`](Self::add_op). Everything before the one that failed stays registered.
    pub fn add_handed_over(&mut self, other: &Registry) -> Result<()> {
        let is_own = |plugin: &str| plugin == PROGRAM;
        for (key, Candidate { op, .. }) in other.ops.iter().filter(|(_, c)| is_own(&c.op.plugin)) {
            self.push_op(key, op)?;
        }
        for (name, planner) in other.planners.iter().filter(|(_, planner)| is_own(&planner.plugin)) {
            self.push_planner(name, planner)?;
        }
        for (name, delegate) in other.delegates.iter().filter(|(_, delegate)| is_own(&delegate.plugin)) {
            self.push_delegate(name, delegate)?;
        }
        Ok(())
    }

    /// Applies `change` to the plugin that represents the program, creates it first if needed, and returns its
    /// position.
    fn program(&mut self, change: impl FnOnce(&mut PluginInfo)) -> usize {
        // Errors of in-process functions find their way to this host without a handshake.
        // SAFETY: the host is static, and its functions are this crate's `host`, which keeps the contract.
        unsafe { arenite_abi::host::set_host(Self::host()) };
        let known = self.plugins.iter().position(|plugin| plugin.origin == Origin::Program);
        let position = known.unwrap_or_else(|| {
            self.plugins.push(PluginInfo {
                id: PROGRAM.to_owned(),
                version: String::new(),
                description: "What the program handed over".to_owned(),
                origin: Origin::Program,
                abi: AbiVersion::FIRST,
                planners: Vec::new(),
                delegates: Vec::new(),
                ops: Vec::new(),
            });
            self.plugins.len() - 1
        });
        change(&mut self.plugins[position]);
        position
    }
}

fn refused(what: ItemKind, name: &str, message: String) -> Error {
    Error::Registration { what, name: name.to_owned(), message }
}

/// Checks that user data is only given to a registration that accepts it.
fn check_user_data<R>(registration: &Registration<R>, takes_it: bool) -> std::result::Result<(), String> {
    if !takes_it && !registration.user_data().is_null() {
        return Err("it comes with user data and says of none: an op has OP_USER_DATA, a planner INTERFACE_PLAN, a delegate \
                    INTERFACE_CREATE"
            .to_owned());
    }
    Ok(())
}

fn check_free(what: ItemKind, name: &str, plugin: Option<&str>) -> Result<()> {
    match plugin {
        Some(PROGRAM) => {
            Err(refused(what, name, format!("the program handed over a {what} of this name before")))
        }
        Some(plugin) => {
            Err(refused(what, name, format!("{plugin} has a {what} of this name; choose another")))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::c_void;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use arenite_abi::raw::ArStr;

    use super::*;

    static FREED: AtomicUsize = AtomicUsize::new(0);

    unsafe extern "C" fn free(_: *mut c_void) {
        FREED.fetch_add(1, Ordering::SeqCst);
    }

    fn data() -> UserData {
        // SAFETY: no code dereferences the pointer.
        unsafe { UserData::new(std::ptr::without_provenance_mut(8), Some(free)) }
    }

    #[test]
    fn user_data_comes_with_what_takes_it() {
        let object = object::op(object::closures(|_, _| Ok(()), |(), _| Ok(())));
        let op = ArOpV1 { custom_name: ArStr::new("Own"), ..object.registration };
        let plain = ArOpV1 { flags: 0, state_size: 0, ..op };
        let small = ArOpV1 { state_size: 4, ..op };
        let mut registry = Registry::new();
        for (op, wanted) in [
            (plain, "op 'Own' is not registered: it comes with user data and says of none: "),
            (
                small,
                "op 'Own' is not registered: Own has 4 bytes of state aligned to 8, which has no room for",
            ),
        ] {
            // SAFETY: the op is not called.
            let error = unsafe { registry.add_raw_op(&op, data()) }.unwrap_err().to_string();
            assert!(error.starts_with(wanted), "{error}");
        }
        let object = object::planner(|_, _| Ok(()));
        let planner = ArPlannerV1 { name: ArStr::new("own"), query: None, ..object.registration };
        // SAFETY: the planner is not called.
        let error = unsafe { registry.add_raw_planner(&planner, data()) }.unwrap_err().to_string();
        assert!(error.starts_with("planner 'own' is not registered: it comes with user data"), "{error}");
        assert!(registry.plugins().is_empty());
        assert_eq!(FREED.load(Ordering::SeqCst), 3);
        // SAFETY: the op is not called, and the data is null.
        unsafe { registry.add_raw_op(&plain, UserData::new(std::ptr::null_mut(), Some(free))) }.unwrap();
        assert_eq!(registry.plugins()[0].ops.len(), 1);
        drop(registry);
        assert_eq!(FREED.load(Ordering::SeqCst), 4);
    }
}
