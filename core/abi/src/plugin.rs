//! Plugins: the descriptor, the handshake, and the two ways in (a dynamic library's symbols, a static list).

use crate::op::Registration;
use crate::raw::{self, ArDelegateV1, ArHeader, ArHostV1, ArOpV1, ArPlannerV1, ArPluginV1, ArStr};

/// What a plugin offers; made by [`plugin!`](crate::plugin!).
pub struct Plugin {
    descriptor: ArPluginV1,
}

impl Plugin {
    /// A plugin from structs that cross the boundary. [`plugin!`](crate::plugin!) makes one from types, without `unsafe`.
    ///
    /// # Safety
    /// For the life of the process:
    /// - each op meets the conditions of [`Registration::from_raw`];
    /// - the names of planners and delegates are readable, and their functions keep the contract: those of one delegate accept the
    ///   delegates and kernels that its `create` and `compile` give.
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

    /// The descriptor that crosses the boundary.
    pub const fn descriptor(&self) -> &ArPluginV1 {
        &self.descriptor
    }

    /// The id, a reverse domain name.
    pub fn id(&self) -> &'static str {
        // SAFETY: `new` takes a `&'static str`, and the field is private.
        unsafe { self.descriptor.id.as_str() }
    }

    /// Op `i` and, of a custom op, its name.
    pub fn op(&self, i: usize) -> Option<(&'static Registration, &'static str)> {
        // SAFETY: `new` takes a slice of this length, whose elements it requires to be registrations for the life of the
        // process; a `Registration` has the layout of its `ArOpV1`.
        let ops = unsafe { raw::slice(self.descriptor.ops.cast::<Registration>(), self.descriptor.op_count) };
        ops.get(i).map(|op| (op, op.name()))
    }

    /// Answers the host: keeps it, lowers `version` to what both speak, and gives the descriptor; or null, and in
    /// `version` the lowest that this plugin accepts.
    ///
    /// # Safety
    /// `host` is null, or lives as long as the process and keeps the contract; `version` is null or writable.
    pub unsafe fn handshake(&'static self, host: *const ArHostV1, version: *mut u32) -> *const ArPluginV1 {
        // SAFETY: `version` is null or writable, which this function requires.
        let Some(version) = (unsafe { version.as_mut() }) else { return core::ptr::null() };
        if host.is_null() || *version < raw::ABI_FLOOR {
            *version = raw::ABI_FLOOR;
            return core::ptr::null();
        }
        *version = (*version).min(raw::ABI_VERSION);
        // SAFETY: `host` is not null, as checked; it lives as long as the process and keeps the contract, which this function requires.
        unsafe { crate::host::set_host(host) };
        &self.descriptor
    }
}

/// Makes a [`Plugin`]: its id (reverse domain name), a description, and the types that implement [`Op`](crate::Op),
/// [`Planner`](crate::Planner) and [`Delegate`](crate::Delegate), each with a `#[cfg(…)]` if it is not always there. The
/// version is that of the calling package.
#[macro_export]
macro_rules! plugin {
    (
        id: $id:expr,
        description: $description:expr
        $(, ops: [$($(#[$op_if:meta])? $op:ty),* $(,)?])?
        $(, planners: [$($(#[$planner_if:meta])? $planner:ty),* $(,)?])?
        $(, delegates: [$($(#[$delegate_if:meta])? $delegate:ty),* $(,)?])?
        $(,)?
    ) => {
        // What the author wrote is evaluated outside of the unsafe block.
        match (
            $id,
            $description,
            const { &[$($($(#[$op_if])? $crate::op::registration::<$op>().into_raw()),*)?] },
            const { &[$($($(#[$planner_if])? $crate::planner::registration::<$planner>()),*)?] },
            const { &[$($($(#[$delegate_if])? $crate::delegate::registration::<$delegate>()),*)?] },
        ) {
            (id, description, ops, planners, delegates) => {
                // SAFETY: each struct is, unchanged, what `registration` made of one type, so its functions fit one another; its
                // name is a constant of that type.
                unsafe {
                    $crate::Plugin::new(id, ::core::env!("CARGO_PKG_VERSION"), description, ops, planners, delegates)
                }
            }
        }
    };
}

/// Exports a plugin from a dynamic library: `export_plugin!(PLUGIN)` for a `static PLUGIN: Plugin`.
///
/// Emits the C entry symbol and what the loader reads before it calls that: abi_stable's root module, which describes the layouts, and
/// how the plugin was built ([`ArPluginBuildV1`](raw::ArPluginBuildV1)). Once per library.
#[macro_export]
macro_rules! export_plugin {
    ($plugin:path) => {
        /// The entry of this plugin.
        ///
        /// # Safety
        /// `host` is null, or lives as long as the process and keeps the contract; `version` is null or writable.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn arenite_plugin_v1(
            host: *const $crate::raw::ArHostV1,
            version: *mut u32,
        ) -> *const $crate::raw::ArPluginV1 {
            // SAFETY: both arguments are what `handshake` requires, as this function requires the same of them.
            unsafe { $crate::Plugin::handshake(&$plugin, host, version) }
        }

        $crate::__export_layout!(arenite_plugin_v1);

        const _: () = {
            // The name is `raw::BUILD_SYMBOL`.
            #[unsafe(export_name = "arenite_plugin_build_v1")]
            static BUILD: $crate::raw::ArPluginBuildV1 =
                $crate::raw::ArPluginBuildV1::of_rust(::core::cfg!(panic = "abort"));
        };
    };
}

/// Registers a plugin that is linked in statically: `register_plugin!(arenite_ops::PLUGIN)`.
#[cfg(feature = "std")]
#[macro_export]
macro_rules! register_plugin {
    ($plugin:path) => {
        $crate::__private::inventory::submit! { $crate::StaticPlugin(&$plugin) }
    };
}

/// A plugin that was linked in statically, as the host collects it.
#[cfg(feature = "std")]
pub struct StaticPlugin(
    /// The plugin.
    pub &'static Plugin,
);

#[cfg(feature = "std")]
inventory::collect!(StaticPlugin);
