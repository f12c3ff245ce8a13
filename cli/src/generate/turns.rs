//! The turns of a conversation: tokens from the command line or from lines of stdin, and an answer to each.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arenite_language::{Request, Sampler, Session};

use super::arguments::Arguments;
use super::report::{Report, Turn};
use crate::answer::{Answer, Failure, Result};

/// Exit status after Ctrl-C outside of an answer, as shells have it.
const INTERRUPTED: i32 = 130;

/// A conversation.
pub(super) struct Turns<'a> {
    arguments: &'a Arguments,
    session: Session,
    sampler: Sampler,
    request: Request,
    /// All tokens so far: what was given, and the answers.
    context: Vec<u32>,
    /// Whether Ctrl-C was pressed. If it was, or no answer is under way, Ctrl-C ends the program.
    interrupted: Arc<AtomicBool>,
    turns: Vec<Turn>,
}

impl<'a> Turns<'a> {
    pub(super) fn new(arguments: &'a Arguments, session: Session, sampler: Sampler) -> Result<Self> {
        let interrupted = Arc::new(AtomicBool::new(true));
        catch_interrupts(&interrupted).map_err(|error| Failure::with("Ctrl-C", error))?;
        let request = Request { count: arguments.count, stop_ids: arguments.stop_ids.clone() };
        Ok(Turns {
            arguments,
            session,
            sampler,
            request,
            context: Vec::new(),
            interrupted,
            turns: Vec::new(),
        })
    }

    /// Answers the tokens of the command line, or each line of stdin.
    pub(super) fn run(mut self, load: Duration) -> Result<Answer> {
        if self.arguments.ids.is_empty() {
            self.answer_lines()?;
        } else {
            self.answer(self.arguments.ids.clone())?;
        }
        let Turns { arguments, session, turns, .. } = self;
        if !arguments.common.json {
            return Ok(Answer::text(String::new()));
        }
        let report = Report {
            model: arguments.model.clone(),
            load_ms: load.as_secs_f64() * 1e3,
            capacity: session.capacity(),
            vocabulary: session.vocabulary(),
            cache_bytes: session.cache_bytes(),
            turns,
        };
        Answer::json(&report)
    }

    fn answer_lines(&mut self) -> Result<()> {
        let is_terminal = io::stdin().is_terminal();
        loop {
            if is_terminal {
                write!(anstream::stderr(), "> ").map_err(|error| Failure::with("stderr", error))?;
            }
            let mut line = String::new();
            let bytes =
                io::stdin().lock().read_line(&mut line).map_err(|error| Failure::with("stdin", error))?;
            if bytes == 0 {
                return Ok(());
            }
            if line.trim().is_empty() {
                continue;
            }
            let done = parse(&line).and_then(|ids| self.answer(ids));
            match done {
                // On a terminal the next line may be better.
                Err(failure) if is_terminal => {
                    writeln!(anstream::stderr(), "{failure}")
                        .map_err(|error| Failure::with("stderr", error))?;
                }
                done => done?,
            }
        }
    }

    /// Answers one turn, and prints each token when it is chosen.
    fn answer(&mut self, given: Vec<u32>) -> Result<()> {
        let before = self.context.len();
        self.context.extend(&given);
        self.interrupted.store(false, Ordering::Relaxed);
        let is_quiet = self.arguments.common.json;
        let interrupted = Arc::clone(&self.interrupted);
        let mut shown = Stream::new(is_quiet);
        let answer = self.session.generate(&self.context, &mut self.sampler, &self.request, &mut |id| {
            id.is_none_or(|id| shown.show(id)) && !interrupted.load(Ordering::Relaxed)
        });
        self.interrupted.store(true, Ordering::Relaxed);
        shown.end();
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                self.context.truncate(before);
                return Err(error.into());
            }
        };
        self.context.extend(&answer.ids);
        let turn = Turn::new(given, answer);
        if !is_quiet {
            writeln!(anstream::stderr(), "{turn}").map_err(|error| Failure::with("stderr", error))?;
        }
        self.turns.push(turn);
        Ok(())
    }
}

/// Prints tokens, separated by commas.
struct Stream {
    is_quiet: bool,
    count: usize,
}

impl Stream {
    fn new(is_quiet: bool) -> Self {
        Stream { is_quiet, count: 0 }
    }

    /// Prints a token. Returns whether the reader is still there.
    fn show(&mut self, id: u32) -> bool {
        if self.is_quiet {
            return true;
        }
        let comma = if self.count > 0 { "," } else { "" };
        self.count += 1;
        print(&format!("{comma}{id}"))
    }

    fn end(&self) {
        if self.count > 0 {
            print("\n");
        }
    }
}

fn print(text: &str) -> bool {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_ok()
}

fn parse(line: &str) -> Result<Vec<u32>> {
    let parts = line.split([',', ' ', '\t', '\r', '\n']).filter(|part| !part.is_empty());
    let number = |part: &str| {
        part.parse()
            .map_err(|_| Failure::new(format!("'{part}' is not a token; a line is numbers such as 1,2,3")))
    };
    parts.map(number).collect()
}

/// Lets Ctrl-C set `interrupted`, or end the program if it is already set.
fn catch_interrupts(interrupted: &Arc<AtomicBool>) -> io::Result<()> {
    use signal_hook::consts::SIGINT;
    use signal_hook::flag::{register, register_conditional_shutdown};
    register_conditional_shutdown(SIGINT, INTERRUPTED, Arc::clone(interrupted))?;
    register(SIGINT, Arc::clone(interrupted))?;
    Ok(())
}
