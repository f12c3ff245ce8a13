//! The program as a process: how long it takes, and how much memory it has at most.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How a command ended.
pub struct Ended {
    /// The exit status; none if a signal ended it.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// From start to end, less the longest time that one of its threads was ready to run and had no processor.
    pub time: Duration,
    /// The most memory that it had at once, in bytes; 0 where the system does not say.
    pub peak: u64,
}

/// What a command may take.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Milliseconds.
    pub time: u64,
    pub bytes: u64,
    /// Kilobytes of stack; those of the system without it.
    pub stack: Option<u64>,
}

/// Other programs can delay a command even when it has a processor. One attempt within the limit passes.
const ATTEMPTS: usize = 4;

impl Limits {
    /// Runs a command, and fails if it is ended by a signal, or takes too long or too much memory; `base` is what any model takes.
    pub fn check(&self, arguments: &[&str], base: u64) -> Ended {
        let most_time = Duration::from_millis(self.time * 11 / 10 + 200);
        let most_bytes = self.bytes / 5 * 6 + base;
        let mut times = Vec::new();
        loop {
            let ended = run(arguments, self.stack);
            let told = format!("{arguments:?}: {:?}, {}", ended.status, ended.stderr);
            assert!(ended.status.is_some_and(|status| status < 128), "ended by a signal: {told}");
            assert!(
                ended.peak <= most_bytes,
                "{} bytes at once, the limit is {most_bytes}: {told}",
                ended.peak
            );
            if ended.time <= most_time {
                return ended;
            }
            times.push(ended.time);
            assert!(times.len() < ATTEMPTS, "{times:?}, the limit is {most_time:?}: {told}");
            thread::sleep(Duration::from_millis(300));
        }
    }
}

/// Runs the program, with so many kilobytes of stack at most.
pub fn run(arguments: &[&str], stack: Option<u64>) -> Ended {
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
    let text = |thread: thread::JoinHandle<String>| thread.join().expect("it can be read");
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

/// The longest time that one thread of a process was ready to run and had no processor: the second number of each `schedstat`, in ns.
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
