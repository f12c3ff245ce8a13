//! Creates reports: the JSON that the command-line program prints with `--json`.

#[cfg(not(feature = "report"))]
pub(crate) use absent::{devices, inspection, plugins, previews, profile};
#[cfg(feature = "report")]
pub(crate) use made::{devices, inspection, plugins, previews, profile};

/// The reports, with the feature `report`.
#[cfg(feature = "report")]
mod made {
    use std::ffi::CString;
    use std::fmt::Display;
    use std::path::Path;

    use arenite::{DelegatePreview, Interpreter, Profile, Registry};
    use arenite_common::devices::Devices;
    use arenite_common::inspection::Inspection;
    use arenite_common::plugins::Plugins;
    use arenite_common::previews::Previews;
    use arenite_common::profile::{json, op_times};

    use crate::error::{AR_ERROR_FAILED, Failure, Result, c_string};

    fn text<E: Display>(json: std::result::Result<String, E>) -> Result<CString> {
        let json = json.map_err(|error| Failure::new(AR_ERROR_FAILED, format!("JSON: {error}")))?;
        Ok(c_string(&json))
    }

    pub(crate) fn inspection(interpreter: &Interpreter, path: Option<&Path>) -> Result<CString> {
        text(Inspection::of(interpreter, path).json())
    }

    pub(crate) fn plugins(registry: &Registry) -> Result<CString> {
        text(Plugins::of(registry).json())
    }

    pub(crate) fn devices(registry: &Registry) -> Result<CString> {
        text(Devices::of(registry).json())
    }

    pub(crate) fn previews(found: Vec<DelegatePreview>) -> Result<CString> {
        text(Previews::of(found).json())
    }

    pub(crate) fn profile(profile: &Profile) -> Result<CString> {
        text(json(&op_times(profile)))
    }
}

/// Replacements that return an error, without the feature `report`.
#[cfg(not(feature = "report"))]
mod absent {
    use std::ffi::CString;
    use std::path::Path;

    use arenite::{DelegatePreview, Interpreter, Profile, Registry};

    use crate::error::{AR_ERROR_UNSUPPORTED, Failure, Result};

    fn absent() -> Result<CString> {
        let message =
            "this library was built without reports: build it with ffi/c/install.sh PREFIX --features report";
        Err(Failure::new(AR_ERROR_UNSUPPORTED, message))
    }

    pub(crate) fn inspection(_: &Interpreter, _: Option<&Path>) -> Result<CString> {
        absent()
    }

    pub(crate) fn plugins(_: &Registry) -> Result<CString> {
        absent()
    }

    pub(crate) fn devices(_: &Registry) -> Result<CString> {
        absent()
    }

    pub(crate) fn previews(_: Vec<DelegatePreview>) -> Result<CString> {
        absent()
    }

    pub(crate) fn profile(_: &Profile) -> Result<CString> {
        absent()
    }
}
