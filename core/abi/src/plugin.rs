//! Plugins: the descriptor, the handshake, and both ways to load a plugin (a dynamic library's symbols, a static list).

use crate::op::Registration;
use crate::raw::{self, ArDelegateV1, ArHeader, ArHostV1, ArOpV1, ArPlannerV1, ArPluginV1, ArStr};

/// The contents of a plugin, created by [`plugin!`](crate::plugin!).
pub struct Plugin {
    descriptor: ArPluginV1,
}

impl Plugin {
    /// Creates a plugin from structs of the ABI. [`plugin!`](crate::plugin!) creates one from types, without `unsafe`.
    ///
    /// # Safety
    /// For the life of the process:
    /// - Each op must meet the requirements of [`Registration::from_raw`].
    /// - The names of planners and delegates must be readable, and their functions must follow the ABI's rules. The
    ///   functions of a delegate must accept the delegates and kernels returned by its `create` and `compile`.
    ///
    /// Safe code cannot mix the functions of two ops:
    ///
    /// ```compile_fail,E0133
    /// # use arenite_abi::{Op, Plugin, op::registration, raw::ArOpV1};
    /// fn mixed<A: Op, B: Op>() -> Plugin {
    ///     let eval = registration::<B>().eval;
    ///     let ops = Box::leak(Box::new([ArOpV1 { eval, ..registration::<A>().into_raw() }]));
    ///     Plugin::new("org.example.mixed", "1.0.0", "Reads A's state as B's", ops, &[], &[])
    /// }
    /// ```
    /// nor give an op a name that cannot be read:
    ///
    /// ```compile_fail,E0133
    /// # use arenite_abi::{Op, Plugin, op::registration, raw::{ArOpV1, ArStr}};
    /// fn nameless<A: Op>() -> Plugin {
    ///     let custom_name = ArStr { data: 0x1000 as *const u8, length: 8 };
    ///     let ops = Box::leak(Box::new([ArOpV1 { custom_name, ..registration::<A>().into_raw() }]));
    ///     Plugin::new("org.example.nameless", "1.0.0", "Reads address 0x1000", ops, &[], &[])
    /// }
    /// ```
    pub const unsafe fn new(
        id: &'static str,
        version: &'static str,
        description: &'static str,
        ops: &'static [ArOpV1],
        planners: &'static [ArPlannerV1],
        delegates: &'static [ArDelegateV1],
    ) -> Self {
        let descriptor = ArPluginV1 {
            header: ArHeader::of::<ArPluginV1>(),
            id: ArStr::new(id),
            version: ArStr::new(version),
            description: ArStr::new(description),
            ops: ops.as_ptr(),
            op_count: ops.len(),
            op_stride: size_of::<ArOpV1>(),
            planners: planners.as_ptr(),
            planner_count: planners.len(),
            planner_stride: size_of::<ArPlannerV1>(),
            delegates: delegates.as_ptr(),
            delegate_count: delegates.len(),
            delegate_stride: size_of::<ArDelegateV1>(),
            query: None,
        };
        Plugin { descriptor }
    }

    /// The descriptor as a struct of the ABI.
    pub const fn descriptor(&self) -> &ArPluginV1 {
        &self.descriptor
    }

    /// The plugin's id, a reverse domain name.
    pub fn id(&self) -> &'static str {
        // SAFETY: `new` takes a `&'static str`, and the field is private.
        unsafe { self.descriptor.id.as_str() }
    }

    /// Op `i`, with its name if it is a custom op.
    pub fn op(&self, i: usize) -> Option<(&'static Registration, &'static str)> {
        // SAFETY: `new` takes a slice of this length and requires its elements to be valid registrations for the life
        // of the process. A `Registration` has the layout of its `ArOpV1`.
        let ops = unsafe { raw::slice(self.descriptor.ops.cast::<Registration>(), self.descriptor.op_count) };
        ops.get(i).map(|op| (op, op.name()))
    }

    /// Performs the handshake: stores the host, lowers `version` to the highest version that both support, and returns
    /// the descriptor. If there is none, returns null and sets `version` to the lowest version that this plugin
    /// accepts.
    ///
    /// # Safety
    /// `host` must be null, or valid as long as the process and follow the ABI's rules. `version` must be null or
    /// writable.
    pub unsafe fn handshake(&'static self, host: *const ArHostV1, version: *mut u32) -> *const ArPluginV1 {
        // SAFETY: the caller guarantees that `version` is null or writable.
        let Some(version) = (unsafe { version.as_mut() }) else { return core::ptr::null() };
        if host.is_null() || *version < raw::ABI_FLOOR {
            *version = raw::ABI_FLOOR;
            return core::ptr::null();
        }
        *version = (*version).min(raw::ABI_VERSION);
        // SAFETY: `host` is not null, checked above; the caller guarantees that it is valid as long as the process and
        // follows the ABI's rules.
        unsafe { crate::host::set_host(host) };
        &self.descriptor
    }
}

/// Creates a [`Plugin`] from an id (reverse domain name), a description, and the types that implement
/// [`Op`](crate::Op), [`Planner`](crate::Planner) and [`Delegate`](crate::Delegate), each with an optional `#[cfg(…)]`.
/// The plugin has the version of the calling package. With `embedding: false`, no host can embed its ops
/// ([`Op::EMBED`](crate::Op::EMBED)).
#[macro_export]
macro_rules! plugin {
    (
        id: $id:expr,
        description: $description:expr
        $(, embedding: $embedding:literal)?
        $(, ops: [$($(#[$op_if:meta])? $op:ty),* $(,)?])?
        $(, planners: [$($(#[$planner_if:meta])? $planner:ty),* $(,)?])?
        $(, delegates: [$($(#[$delegate_if:meta])? $delegate:ty),* $(,)?])?
        $(,)?
    ) => {
        // The author's expressions are evaluated outside the unsafe block.
        match (
            $id,
            $description,
            const {
                const EMBEDDING: bool = true $(&& $embedding)?;
                &[$($($(#[$op_if])? $crate::op::registration_with::<$op>(EMBEDDING).into_raw()),*)?]
            },
            const { &[$($($(#[$planner_if])? $crate::planner::registration::<$planner>()),*)?] },
            const { &[$($($(#[$delegate_if])? $crate::delegate::registration::<$delegate>()),*)?] },
        ) {
            (id, description, ops, planners, delegates) => {
                // SAFETY: each struct is the unchanged result of `registration` for one type, so its functions belong
                // together; its name is a constant of that type.
                unsafe {
                    $crate::Plugin::new(id, ::core::env!("CARGO_PKG_VERSION"), description, ops, planners, delegates)
                }
            }
        }
    };
}

/// Exports a plugin from a dynamic library: `export_plugin!(PLUGIN)` for a `static PLUGIN: Plugin`. Use it once per
/// library.
///
/// It emits the C entry function and the data that the loader reads before calling it: abi_stable's root module, which
/// describes the layouts, and how the plugin was built ([`ArPluginBuildV1`](raw::ArPluginBuildV1)).
#[macro_export]
macro_rules! export_plugin {
    ($plugin:path) => {
        /// The entry function of this plugin.
        ///
        /// # Safety
        /// `host` must be null, or valid as long as the process and follow the ABI's rules. `version` must be null or
        /// writable.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn arenite_plugin_v1(
            host: *const $crate::raw::ArHostV1,
            version: *mut u32,
        ) -> *const $crate::raw::ArPluginV1 {
            // SAFETY: the caller meets the same requirements of `handshake`.
            unsafe { $crate::Plugin::handshake(&$plugin, host, version) }
        }

        $crate::__export_layout!(arenite_plugin_v1);

        const _: () = {
            // The value of `raw::BUILD_SYMBOL`.
            #[unsafe(export_name = "arenite_plugin_build_v1")]
            static BUILD: $crate::raw::ArPluginBuildV1 =
                $crate::raw::ArPluginBuildV1::of_rust(::core::cfg!(panic = "abort"));
        };
    };
}

/// Registers a statically linked plugin: `register_plugin!(arenite_ops::PLUGIN)`.
#[cfg(feature = "std")]
#[macro_export]
macro_rules! register_plugin {
    ($plugin:path) => {
        $crate::__private::inventory::submit! { $crate::StaticPlugin(&$plugin) }
    };
}

/// A statically linked plugin, as collected by the host.
#[cfg(feature = "std")]
pub struct StaticPlugin(
    /// The plugin.
    pub &'static Plugin,
);

#[cfg(feature = "std")]
inventory::collect!(StaticPlugin);
