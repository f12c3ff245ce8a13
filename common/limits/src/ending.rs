//! Ends the process.

/// The texts and the exit status with which a limit ends the process. They are created in advance, because no memory
/// can be allocated at that point.
#[derive(Clone, Debug)]
pub struct Ending {
    /// Text for stdout.
    pub stdout: Vec<u8>,
    /// Text for stderr.
    pub stderr: Vec<u8>,
    /// The exit status.
    pub status: u8,
}

impl Ending {
    /// Writes both texts and ends the process, without running destructors or functions registered with `atexit`: other
    /// threads may hold any lock.
    #[cfg(unix)]
    pub(crate) fn end(&self) -> ! {
        write(libc::STDERR_FILENO, &self.stderr);
        write(libc::STDOUT_FILENO, &self.stdout);
        // SAFETY: `_exit` has no requirements: it is async-signal-safe and takes any status.
        unsafe { libc::_exit(self.status.into()) }
    }

    #[cfg(not(unix))]
    pub(crate) fn end(&self) -> ! {
        use std::io::Write;
        // If the streams are closed there is nowhere left to report to.
        let _ = std::io::stderr().write_all(&self.stderr);
        let _ = std::io::stdout().write_all(&self.stdout);
        std::process::exit(self.status.into())
    }
}

/// Bypasses the locks and buffers of the standard library, which the interrupted thread may hold.
#[cfg(unix)]
fn write(descriptor: i32, mut text: &[u8]) {
    while !text.is_empty() {
        // SAFETY: `text` is a slice, so its pointer is readable for its length.
        let written = unsafe { libc::write(descriptor, text.as_ptr().cast(), text.len()) };
        match usize::try_from(written) {
            Ok(written @ 1..) => text = text.get(written..).unwrap_or(&[]),
            // If the stream is closed there is nowhere left to report to.
            _ => return,
        }
    }
}
