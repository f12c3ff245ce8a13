//! `telemetry_setting.h`. This library reports no telemetry, so a program never receives settings, and these functions
//! return null or 0.

use std::ffi::{c_int, c_void};
use std::ptr;

macro_rules! absent {
    ($($name:ident -> $result:ty = $value:expr;)*) => {$(
        /// Returns null or 0: no settings exist.
        #[unsafe(no_mangle)]
        pub(crate) extern "C" fn $name(settings: *const c_void) -> $result {
            let _ = settings;
            $value
        }
    )*};
}
absent! {
    TfLiteTelemetryConversionMetadataGetModelOptimizationModes -> *const i32 = ptr::null();
    TfLiteTelemetryConversionMetadataGetNumModelOptimizationModes -> usize = 0;
    TfLiteTelemetryGpuDelegateSettingsGetBackend -> c_int = 0;
    TfLiteTelemetryGpuDelegateSettingsGetNumNodesDelegated -> usize = 0;
    TfLiteTelemetryInterpreterSettingsGetConversionMetadata -> *const c_void = ptr::null();
    TfLiteTelemetryInterpreterSettingsGetNumSubgraphInfo -> usize = 0;
    TfLiteTelemetryInterpreterSettingsGetSubgraphInfo -> *const c_void = ptr::null();
    TfLiteTelemetrySubgraphInfoGetNumQuantizations -> usize = 0;
    TfLiteTelemetrySubgraphInfoGetQuantizations -> *const c_void = ptr::null();
}
