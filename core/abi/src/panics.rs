//! Panics of an author's code, which end where the code was called.

use crate::Error;

/// A caught panic, with its message if std is available.
pub(crate) struct CaughtPanic(pub Error);

/// Runs `f` and catches a panic. Without std, panics cannot be caught and end the program.
///
/// `f` is called through a pointer, so that the code for catching is compiled once instead of once per op and function.
pub(crate) fn catch(f: &mut dyn FnMut()) -> Result<(), CaughtPanic> {
    #[cfg(feature = "std")]
    return std::panic::catch_unwind(core::panic::AssertUnwindSafe(f)).map_err(|payload| {
        let said = payload.downcast_ref::<&str>().copied();
        let said = said.or_else(|| payload.downcast_ref::<String>().map(|s| s.as_str()));
        let panicked = CaughtPanic(Error::new(
            crate::Status::Panicked,
            format_args!(
                "the plugin panicked ({}); this instance is not used again",
                said.unwrap_or("no text")
            ),
        ));
        // The payload's own destructor may panic, so it is leaked; it is small.
        core::mem::forget(payload);
        panicked
    });
    #[cfg(not(feature = "std"))]
    {
        f();
        Ok(())
    }
}
