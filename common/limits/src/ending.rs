//! The end of the process.

/// What the process says when a limit ends it. It is made beforehand, since no memory can be had then.
#[derive(Clone, Debug)]
pub struct Ending {
    /// For stdout.
    pub stdout: Vec<u8>,
    /// For stderr.
    pub stderr: Vec<u8>,
    /// The exit status.
    pub status: u8,
}

impl Ending {
    /// Writes both texts and ends the process, without destructors and functions registered with `atexit`: other threads may hold
    /// any lock.
    #[cfg(unix)]
    pub(crate) fn end(&self) -> ! {
        write(libc::STDERR_FILENO, &self.stderr);
        write(libc::STDOUT_FILENO, &self.stdout);
        // SAFETY: `_exit` may be called at any time on any thread.
        unsafe { libc::_exit(self.status.into()) }
    }

    #[cfg(not(unix))]
    pub(crate) fn end(&self) -> ! {
        use std::io::Write;
        // Nothing is left to be done about closed streams.
        let _ = std::io::stderr().write_all(&self.stderr);
        let _ = std::io::stdout().write_all(&self.stdout);
        std::process::exit(self.status.into())
    }
}

/// Past the locks and buffers of the standard library, which the thread that is interrupted may hold.
#[cfg(unix)]
fn write(descriptor: i32, mut text: &[u8]) {
    while !text.is_empty() {
        // SAFETY: `text` is readable for its length.
        let written = unsafe { libc::write(descriptor, text.as_ptr().cast(), text.len()) };
        match usize::try_from(written) {
            Ok(written @ 1..) => text = text.get(written..).unwrap_or(&[]),
            // Nothing is left to be done about a closed stream.
            _ => return,
        }
    }
}
