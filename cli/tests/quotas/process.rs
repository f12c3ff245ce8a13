//! Runs the program as a process and measures its time and peak memory.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The outcome of a command.
pub(crate) struct Ended {
    /// The exit status; `None` if a signal ended the command.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// Wall time, less the longest time that one of its threads was ready to run but had no processor.
    pub time: Duration,
    /// Peak memory in bytes; 0 if the system does not report it.
    pub peak: u64,
}

/// Limits for a command.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// Milliseconds.
    pub time: u64,
    pub bytes: u64,
    /// Stack size in kilobytes; `None` for the system's default.
    pub stack: Option<u64>,
}

/// Other programs can slow a command down even while it runs on a processor, so one attempt within the limit is enough.
const ATTEMPTS: usize = 4;

impl Limits {
    /// Runs a command. Fails if a signal ends it, or if it takes too long or too much memory. `base` is the memory that
    /// any model needs.
    pub(crate) fn check(&self, arguments: &[&str], base: u64) -> Ended {
        let most_time = Duration::from_millis(self.time * 11 / 10 + 200);
        let most_bytes = self.bytes / 5 * 6 + base;
        let mut times = Vec::new();
        loop {
            let ended = run(arguments, self.stack);
            let details = format!("{arguments:?}: {:?}, {}", ended.status, ended.stderr);
            assert!(ended.status.is_some_and(|status| status < 128), "ended by a signal: {details}");
            assert!(
                ended.peak <= most_bytes,
                "peak memory of {} bytes exceeds the limit of {most_bytes}: {details}",
                ended.peak
            );
            if ended.time <= most_time {
                return ended;
            }
            times.push(ended.time);
            assert!(
                times.len() < ATTEMPTS,
                "the attempts took {times:?}; the limit is {most_time:?}: {details}"
            );
            thread::sleep(Duration::from_millis(300));
        }
    }
}

/// Runs the program, with the stack limited to this many kilobytes.
pub(crate) fn run(arguments: &[&str], stack: Option<u64>) -> Ended {
    let program = env!("CARGO_BIN_EXE_arenite");
    let mut command = match stack {
        None => Command::new(program),
        Some(kilobytes) => {
            let mut command = Command::new("sh");
            command.args(["-c", &format!("ulimit -s {kilobytes} && exec \"$0\" \"$@\""), program]);
            command
        }
    };
    command.args(arguments).env_remove("ARENITE_PLUGIN_PATH").env("RUST_BACKTRACE", "0");
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let (stdout, stderr) = (read(child.stdout.take()), read(child.stderr.take()));
    let (status, peak, time) = wait(&mut child, start);
    let text = |thread: thread::JoinHandle<String>| thread.join().expect("cannot read the stream");
    Ended { status, stdout: text(stdout), stderr: text(stderr), time, peak }
}

fn read(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.into_iter().for_each(|mut stream| _ = stream.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Samples peak memory and the wait for a processor until the process ends.
fn wait(child: &mut Child, start: Instant) -> (Option<i32>, u64, Duration) {
    let (mut peak, mut waited) = (0, Duration::ZERO);
    loop {
        peak = peak.max(high_water_mark(child.id()).unwrap_or(0));
        waited = waited.max(run_queue_wait(child.id()).unwrap_or_default());
        match child.try_wait().expect("a child of this process") {
            Some(status) => return (status.code(), peak, start.elapsed().saturating_sub(waited)),
            None => thread::sleep(Duration::from_millis(2)),
        }
    }
}

/// The longest time that a thread of the process was ready to run but had no processor: the second number of each
/// `schedstat`, in ns.
fn run_queue_wait(process: u32) -> Option<Duration> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).ok()?;
    let wait = |thread: std::fs::DirEntry| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    Some(Duration::from_nanos(threads.flatten().filter_map(wait).max()?))
}

/// Peak resident memory of a running process, from `VmHWM:  1234 kB`.
fn high_water_mark(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}
