//! A contender: a runtime in its own process, which sleeps while others are measured.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::definitions::{ContenderDefinition, Places};
use crate::failure::{Failure, Result};
use crate::machine;
use crate::protocol::{Hello, Refused, Request};

/// The time limit for a reply.
const PATIENCE: Duration = Duration::from_secs(300);

/// How long threads may spin after their work before others are measured.
const SPINNING: Duration = Duration::from_millis(400);

pub(crate) struct Contender {
    pub name: String,
    pub version: String,
    child: Child,
    requests: ChildStdin,
    replies: Receiver<String>,
    complaints: File,
}

impl Contender {
    /// Starts the process and waits until its runtime is loaded.
    pub(crate) fn start(definition: &ContenderDefinition, places: &Places) -> Result<Self> {
        let failed = |error| Failure::with(&definition.name, error);
        let words: Vec<String> = definition.command.iter().map(|word| places.resolve(word)).collect();
        let (program, arguments) = words
            .split_first()
            .ok_or_else(|| Failure::new(format!("{}: the command is empty", definition.name)))?;
        let complaints = tempfile::tempfile().map_err(failed)?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(complaints.try_clone().map_err(failed)?)
            .spawn()
            .map_err(|error| Failure::with(format!("{}: {program}", definition.name), error))?;
        let (Some(requests), Some(replies)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::with(&definition.name, "the process has no pipes"));
        };
        let replies = lines(replies);
        let name = definition.name.clone();
        let mut contender = Contender { name, version: String::new(), child, requests, replies, complaints };
        contender.version = contender.reply::<Hello>()?.version;
        Ok(contender)
    }

    /// Sends a request and waits for the reply.
    pub(crate) fn ask<R: DeserializeOwned>(&mut self, request: &Request) -> Result<R> {
        let mut line = serde_json::to_string(request).map_err(|error| Failure::with(&self.name, error))?;
        line.push('\n');
        let sent = self.requests.write_all(line.as_bytes()).and_then(|()| self.requests.flush());
        if sent.is_err() {
            return Err(self.ended());
        }
        self.reply()
    }

    fn reply<R: DeserializeOwned>(&mut self) -> Result<R> {
        let line = match self.replies.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            Err(RecvTimeoutError::Timeout) => {
                let text = format!("no answer within {} s", PATIENCE.as_secs());
                return Err(Failure::with(&self.name, text));
            }
        };
        // This comes first, because a reply whose fields are all optional would match any object.
        if let Ok(refused) = serde_json::from_str::<Refused>(&line) {
            return Err(Failure::with(&self.name, refused.error));
        }
        serde_json::from_str(&line)
            .map_err(|error| Failure::with(&self.name, format_args!("{error} in the answer {line}")))
    }

    /// Waits until no thread of the process runs: thread pools spin for a while before they sleep.
    pub(crate) fn settle(&self) {
        let step = Duration::from_millis(1);
        let mut waited = Duration::ZERO;
        while waited < SPINNING && machine::is_running(self.child.id()) {
            thread::sleep(step);
            waited += step;
        }
    }

    /// Seconds of processor time that the process has used.
    pub(crate) fn processor_seconds(&self) -> f64 {
        machine::processor_seconds(self.child.id())
    }

    /// The failure of a process that ended, with the last line it printed.
    fn ended(&mut self) -> Failure {
        let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        let mut text = Vec::new();
        let read =
            self.complaints.seek(SeekFrom::Start(0)).and_then(|_| self.complaints.read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text);
        let last = match read {
            Ok(_) => text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no message"),
            Err(_) => "no message",
        };
        Failure::with(&self.name, format_args!("the process ended ({status}): {last}"))
    }
}

impl Drop for Contender {
    fn drop(&mut self) {
        // A process that has already ended needs neither.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The lines of a pipe, received through a channel so that waiting can time out.
fn lines(pipe: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::definitions::Format;
    use crate::protocol::Memory;

    fn shell(script: &str) -> Result<Contender> {
        let definition = ContenderDefinition {
            name: "shell".into(),
            command: vec!["{python}".into(), "-c".into(), script.into()],
            reads: Format::Tflite,
        };
        let places = Places {
            program: "".into(),
            python: "/bin/sh".into(),
            bench: "".into(),
            zoo: "".into(),
            shared: "".into(),
        };
        Contender::start(&definition, &places)
    }

    const HELLO: &str = r#"echo '{"name":"shell","version":"1"}';"#;

    #[test]
    fn requests_are_answered() {
        let script = format!(r#"{HELLO} read line; echo '{{"rss":5,"pss":null}}'; read line"#);
        let mut contender = shell(&script).unwrap();
        assert_eq!(contender.version, "1");
        let memory: Memory = contender.ask(&Request::Memory {}).unwrap();
        assert_eq!(memory, Memory { rss: Some(5), pss: None });
    }

    #[test]
    fn a_refusal_and_an_exit_are_failures_with_a_reason() {
        let script = format!(r#"{HELLO} read line; echo '{{"error":"too hot"}}'; read line; echo gone >&2"#);
        let mut contender = shell(&script).unwrap();
        let refused = contender.ask::<Memory>(&Request::Memory {}).unwrap_err();
        assert_eq!(refused.to_string(), "shell: too hot");
        let ended = contender.ask::<Memory>(&Request::Memory {}).unwrap_err();
        assert_eq!(ended.to_string(), "shell: the process ended (exit status: 0): gone");
    }
}
