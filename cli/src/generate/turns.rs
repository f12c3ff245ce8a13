//! The turns of a conversation: from the command line or from lines of stdin, and an answer to each.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arenite_language::Session;

use super::arguments::Arguments;
use super::report::{Report, Turn};
use crate::answer::{Answer, Failure, Result};

/// Exit status after Ctrl-C outside of an answer, as shells have it.
const INTERRUPTED: i32 = 130;

/// What lines mean, and how an answer is shown.
pub(super) trait Talk {
    fn session(&self) -> &Session;

    /// Answers a line. `show` gets the pieces of the answer, and empty ones in between; the answer ends if it returns
    /// `false`.
    fn answer(&mut self, line: &str, show: &mut dyn FnMut(&str) -> bool) -> Result<Turn>;
}

/// A conversation.
pub(super) struct Turns<'a, T> {
    arguments: &'a Arguments,
    talk: T,
    /// Whether Ctrl-C was pressed. If it was, or no answer is under way, Ctrl-C ends the program.
    interrupted: Arc<AtomicBool>,
    turns: Vec<Turn>,
}

impl<'a, T: Talk> Turns<'a, T> {
    pub(super) fn new(arguments: &'a Arguments, talk: T) -> Result<Self> {
        let interrupted = Arc::new(AtomicBool::new(true));
        catch_interrupts(&interrupted).map_err(|error| Failure::with("Ctrl-C", error))?;
        Ok(Turns { arguments, talk, interrupted, turns: Vec::new() })
    }

    /// Answers the turn of the command line, or each line of stdin.
    pub(super) fn run(mut self, first: Option<&str>, load: Duration) -> Result<Answer> {
        match first {
            Some(first) => self.answer(first)?,
            None => self.answer_lines()?,
        }
        let Turns { arguments, talk, turns, .. } = self;
        if !arguments.common.json {
            return Ok(Answer::text(String::new()));
        }
        let session = talk.session();
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
            let line = line.trim_end_matches(['\r', '\n']);
            if line.trim().is_empty() {
                continue;
            }
            match self.answer(line) {
                // On a terminal the next line may be better.
                Err(failure) if is_terminal => {
                    writeln!(anstream::stderr(), "{failure}")
                        .map_err(|error| Failure::with("stderr", error))?;
                }
                done => done?,
            }
        }
    }

    /// Answers one turn, and prints each piece when it is chosen.
    fn answer(&mut self, line: &str) -> Result<()> {
        self.interrupted.store(false, Ordering::Relaxed);
        let is_quiet = self.arguments.common.json;
        let mut is_shown = false;
        let turn = self.talk.answer(line, &mut |piece| {
            let can_print = is_quiet || piece.is_empty() || {
                is_shown = true;
                print(piece)
            };
            can_print && !self.interrupted.load(Ordering::Relaxed)
        });
        self.interrupted.store(true, Ordering::Relaxed);
        if is_shown {
            print("\n");
        }
        let turn = turn?;
        if !is_quiet {
            writeln!(anstream::stderr(), "{turn}").map_err(|error| Failure::with("stderr", error))?;
        }
        self.turns.push(turn);
        Ok(())
    }
}

fn print(text: &str) -> bool {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_ok()
}

/// Lets Ctrl-C set `interrupted`, or end the program if it is already set.
fn catch_interrupts(interrupted: &Arc<AtomicBool>) -> io::Result<()> {
    use signal_hook::consts::SIGINT;
    use signal_hook::flag::{register, register_conditional_shutdown};
    register_conditional_shutdown(SIGINT, INTERRUPTED, Arc::clone(interrupted))?;
    register(SIGINT, Arc::clone(interrupted))?;
    Ok(())
}
