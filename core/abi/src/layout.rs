//! Compares layouts: abi_stable's description of the ABI as the plugin's compiler saw it, against the host's.

use abi_stable::StableAbi;
use abi_stable::library::{AbiHeaderRef, ROOT_MODULE_LOADER_NAME_WITH_NUL, RootModule as _};
use abi_stable::sabi_types::VersionStrings;
use core::ffi::c_void;

use crate::raw::{ArHostV1, ArPluginV1};

/// The root module. All structs of the ABI are reachable from its only function.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = RootModuleRef, prefix_fields = RootModulePrefix)))]
#[allow(missing_docs)]
pub struct RootModule {
    #[sabi(last_prefix_field)]
    pub entry: unsafe extern "C" fn(host: *const ArHostV1, version: *mut u32) -> *const ArPluginV1,
}

impl abi_stable::library::RootModule for RootModuleRef {
    abi_stable::declare_root_module_statics! {RootModuleRef}
    const BASE_NAME: &'static str = "arenite_plugin";
    const NAME: &'static str = "arenite_plugin";
    const VERSION_STRINGS: VersionStrings = VersionStrings::new("1.0.0");
}

impl RootModuleRef {
    /// The root module with this entry function.
    pub fn with_entry(entry: crate::raw::ArEntryV1) -> RootModuleRef {
        use abi_stable::prefix_type::PrefixTypeTrait as _;
        RootModule { entry }.leak_into_prefix()
    }
}

/// Name of the symbol for [`check`], null-terminated. Plugins written in C do not have it.
pub const SYMBOL: &str = ROOT_MODULE_LOADER_NAME_WITH_NUL;

/// Compares a plugin's layouts with this host's.
///
/// # Errors
/// A description of the first difference.
///
/// # Safety
/// `symbol` must be the address of [`SYMBOL`] in a library that is never unloaded.
pub unsafe fn check(symbol: *const c_void) -> Result<(), String> {
    if symbol.is_null() {
        return Err("the layout symbol is null".into());
    }
    // SAFETY: the caller guarantees that the symbol is the static `SYMBOL`, which starts with an `AbiHeader`;
    // `AbiHeaderRef` is a transparent reference to one.
    let header: AbiHeaderRef = unsafe { core::mem::transmute(symbol) };
    let library = header.upgrade().map_err(|e| first_lines(&e.to_string()))?;
    library.ensure_layout::<RootModuleRef>().map_err(|e| first_difference(&e.to_string()))?;
    let (ours, theirs) = (RootModuleRef::VERSION_STRINGS, library.version_strings());
    if ours.version.as_str() != theirs.version.as_str() {
        return Err(format!("its ABI version is {}, the host's is {}", theirs.version, ours.version));
    }
    Ok(())
}

/// Extracts the first difference from the text of a layout error, which may have 166 KB: the struct, the expected and
/// the found part.
///
/// ```text
/// Layout of expected type:
///     type:ArOpV1
/// Error:unexpected field
/// Expected:
///     field_name:min_version
/// Found:
///     field_name:max_version
/// ```
fn first_difference(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let Some(at) = lines.iter().position(|line| line.starts_with("Error:")) else { return first_lines(text) };
    let (before, after) = lines.split_at(at);
    let layout = before.iter().rposition(|line| *line == "Layout of expected type:").unwrap_or(0);
    let name = before[layout..].iter().find_map(|line| line.strip_prefix("type:")).unwrap_or("the ABI");
    let side = |title: &str| -> String {
        let lines = after.iter().skip_while(|line| **line != title).skip(1);
        lines
            .take_while(|line| !line.ends_with(':') && !line.starts_with("Error:"))
            .take(3)
            .copied()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let problem = after[0].trim_start_matches("Error:");
    first_lines(&format!("{name}: {problem}: expected {}, found {}", side("Expected:"), side("Found:")))
}

/// The first lines of a text, as one line of at most 400 characters.
fn first_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(12).collect();
    let mut text = lines.join(" ");
    if let Some((cut, _)) = text.char_indices().nth(400) {
        text.truncate(cut);
        text.push('…');
    }
    text
}

/// Emits the same code as `#[export_root_module]`, without a dependency of the calling crate on abi_stable.
#[doc(hidden)]
#[macro_export]
macro_rules! __export_layout {
    ($entry:path) => {
        const _: () = {
            use $crate::__private::abi_stable::library as sabi;

            fn root_module() -> $crate::layout::RootModuleRef {
                $crate::layout::RootModuleRef::with_entry($entry)
            }

            extern "C" fn erased() -> sabi::RootModuleResult {
                sabi::__call_root_module_loader(root_module)
            }

            // abi_stable's name; a test compares it with `layout::SYMBOL`.
            #[unsafe(export_name = "_1as_0lib_1header_0root_bmodule_bloader")]
            static LAYOUT: sabi::LibHeader = {
                // SAFETY: `erased` returns a `RootModuleRef`, the type that abi_stable expects here.
                unsafe {
                    sabi::LibHeader::from_constructor::<$crate::layout::RootModuleRef>(
                        erased,
                        sabi::CheckTypeLayout::Yes,
                    )
                }
            };
        };
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn symbol_is_what_the_macro_exports() {
        assert_eq!(super::SYMBOL.trim_end_matches('\0'), "_1as_0lib_1header_0root_bmodule_bloader");
    }
}
