//! `arenite run --each`: one invocation per value of a sequence. Variables and states keep their values from step to
//! step.

use std::fmt::{self, Display};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use arenite::ElementType;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::answer::{Answer, Failure, Result};
use crate::carried::{self, CarriedOutput};
use crate::inputs::{self, InputReport, Sources, note_random};
use crate::outputs::{OutputCollection, OutputReport};
use crate::picture::Picture;
use crate::random::Random;
use crate::readings::{Context, ReadingReport};
use crate::run_options::Arguments;
use crate::sequence::Sequence;
use crate::session::Session;
use crate::text::{self, DIM, HEAD};

#[derive(Serialize)]
struct Report {
    model: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    /// The inputs of the first step.
    inputs: Vec<InputReport>,
    /// Outputs that become inputs.
    state: Vec<CarriedOutput>,
    steps: Vec<Step>,
    /// Mean time of an invocation.
    invoke_ms: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip)]
    in_line: usize,
}

#[derive(Serialize)]
struct Step {
    step: usize,
    /// When the step begins in the sound, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    /// The file of the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<PathBuf>,
    invoke_ms: f64,
    readings: ReadingReport,
    outputs: Vec<OutputReport>,
}

/// Runs the model on each value.
pub(crate) fn run(arguments: &Arguments, session: &mut Session<'_>, context: &Context) -> Result<Answer> {
    let mut run = Run::new(arguments, session, context)?;
    let mut report = Report {
        model: arguments.model.clone(),
        signature: arguments.outputs.signature.clone(),
        inputs: Vec::new(),
        state: run.carried.clone(),
        steps: Vec::new(),
        invoke_ms: 0.0,
        files: Vec::new(),
        error: None,
        in_line: arguments.readings.in_line(),
    };
    let mut collected = OutputCollection::new(&arguments.outputs, true);
    let progress = progress(run.steps, arguments.common.json);
    let mut failure = None;
    for step in 0..run.steps {
        if let Err(ended) = run.step(session, step, &mut report, &mut collected, &mut failure) {
            failure = Some(match step {
                0 => ended,
                _ => Failure::with(format_args!("step {step} of {}", run.steps), ended),
            });
            break;
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    if !report.steps.is_empty() {
        report.files = collected.write(session)?;
        let total: f64 = report.steps.iter().map(|step| step.invoke_ms).sum();
        report.invoke_ms = total / report.steps.len() as f64;
    }
    report.error = failure.as_ref().map(ToString::to_string);
    match failure {
        Some(failure) => Answer::failed(&report, arguments.common.json, failure),
        None => Answer::new(&report, arguments.common.json),
    }
}

/// The inputs and options that stay the same from step to step.
struct Run<'a> {
    arguments: &'a Arguments,
    context: &'a Context,
    /// The values of each input that has some.
    sequences: Vec<Option<Sequence<'a>>>,
    carried: Vec<CarriedOutput>,
    /// The input of the pictures.
    pictured: Option<usize>,
    steps: usize,
    /// Bytes of inputs that keep their first value, restored before each step because a run may overwrite them.
    fixed: Vec<(usize, Vec<u8>)>,
}

impl<'a> Run<'a> {
    fn new(arguments: &'a Arguments, session: &Session<'_>, context: &'a Context) -> Result<Self> {
        let sample_rate = |input: usize| context.sample_rate(input);
        let sources = Sources { options: &arguments.inputs, sample_rate: &sample_rate };
        let mut bindings: Vec<Vec<_>> = vec![Vec::new(); session.inputs().len()];
        for binding in &arguments.inputs.input {
            let i = session.find_input(&binding.port)?;
            bindings.get_mut(i).into_iter().for_each(|list| list.push(binding));
        }
        let mut sequences = Vec::new();
        for (i, bindings) in bindings.into_iter().enumerate() {
            sequences.push(match bindings.is_empty() {
                true => None,
                false => Some(Sequence::read(session, i, bindings, &sources, arguments.each.hop)?),
            });
        }
        let steps = steps(session, &sequences, arguments.picture.image.len())?;
        let mut run = Run {
            arguments,
            context,
            sequences,
            carried: Vec::new(),
            pictured: None,
            steps,
            fixed: Vec::new(),
        };
        run.pictured = run.find_pictured(session)?;
        let is_fed = |(i, sequence): (usize, &Option<Sequence<'_>>)| {
            run.pictured == Some(i) || sequence.as_ref().is_some_and(|sequence| sequence.steps().is_some())
        };
        let has_source = |(i, sequence)| session.is_tied(i) || is_fed((i, sequence));
        let is_fed: Vec<bool> = run.sequences.iter().enumerate().map(has_source).collect();
        run.carried = carried::pairs(session, &arguments.each.state, &is_fed)?;
        Ok(run)
    }

    /// Whether input `i` keeps a value of the step before.
    fn is_carried(&self, session: &Session<'_>, i: usize) -> bool {
        let has_steps = self.sequences[i].as_ref().is_some_and(|sequence| sequence.steps().is_some());
        session.is_tied(i) && !has_steps || self.carried.iter().any(|pair| pair.input == i)
    }

    fn find_pictured(&self, session: &Session<'_>) -> Result<Option<usize>> {
        let Some(decoded) = self.arguments.picture.load_step(0)? else { return Ok(None) };
        let normalization = |input: usize, ty: ElementType| self.context.normalization(input, ty);
        let free = (0..self.sequences.len()).filter(|&i| self.sequences[i].is_none());
        inputs::find_picture_input(session, free, &decoded.with(&normalization)).map(Some)
    }

    fn step(
        &mut self,
        session: &mut Session<'_>,
        step: usize,
        report: &mut Report,
        collected: &mut OutputCollection,
        failure: &mut Option<Failure>,
    ) -> Result<()> {
        let arguments = self.arguments;
        let decoded = arguments.picture.load_step(step)?;
        let context = self.context;
        let normalization = |input: usize, ty: ElementType| context.normalization(input, ty);
        let picture = decoded.as_ref().map(|picture| picture.with(&normalization));
        let sources = self.fill(session, step, picture.as_ref())?;
        if step == 0 {
            for (i, source) in sources.into_iter().enumerate() {
                report.inputs.push(InputReport::new(session, i, source)?);
            }
            note_random(&report.inputs);
        }
        let start = Instant::now();
        session.invoke()?;
        let invoke_ms = start.elapsed().as_secs_f64() * 1e3;
        collected.add(session)?;
        let options = &arguments.outputs;
        let outputs = (0..session.outputs().len())
            .map(|i| OutputReport::of(session, i, options.values))
            .collect::<Result<_>>()?;
        let mut readings = arguments.readings.for_step(step).read(session, context, picture.as_ref())?;
        if failure.is_none() {
            *failure = readings.failure.take();
        }
        let period = self.sequences.iter().flatten().find_map(Sequence::period);
        let seconds = period.map(|period| period * step as f64);
        let image = picture.map(|picture| picture.path().to_owned());
        report.steps.push(Step { step, seconds, image, invoke_ms, readings, outputs });
        carried::carry(session, &self.carried)
    }

    /// Fills the inputs of a step, and returns their sources.
    fn fill(
        &mut self,
        session: &mut Session<'_>,
        step: usize,
        picture: Option<&Picture<'_>>,
    ) -> Result<Vec<String>> {
        let context = self.context;
        let sample_rate = |input: usize| context.sample_rate(input);
        let options = &self.arguments.inputs;
        let sources = Sources { options, sample_rate: &sample_rate };
        let mut random = Random(options.seed);
        let mut filled = Vec::new();
        for (i, sequence) in self.sequences.iter().enumerate() {
            let is_carried = self.is_carried(session, i);
            filled.push(match (sequence, picture) {
                _ if is_carried && step > 0 => "carried".to_owned(),
                (Some(sequence), _) => sequence.fill(session, i, step, &sources)?,
                (None, Some(picture)) if self.pictured == Some(i) => {
                    inputs::fill_picture(session, i, picture)?
                }
                _ if step == 0 => {
                    let zeros = is_carried || picture.is_some();
                    let source = inputs::fill_unbound(session, i, zeros, options.seed, &mut random)?;
                    if let (false, Ok(bytes)) = (is_carried, session.input(i)?.bytes()) {
                        self.fixed.push((i, bytes.to_vec()));
                    }
                    source
                }
                _ => "as before".to_owned(),
            });
        }
        if step > 0 {
            for (i, bytes) in self.fixed.iter().filter(|(_, bytes)| !bytes.is_empty()) {
                if !session.input(*i)?.is_constant() {
                    session.input_mut(*i)?.copy_from_bytes(bytes)?;
                }
            }
        }
        Ok(filled)
    }
}

/// Number of steps, which is the same for all sequences.
fn steps(session: &Session<'_>, sequences: &[Option<Sequence<'_>>], pictures: usize) -> Result<usize> {
    let mut known: Option<(String, usize)> = (pictures > 1).then(|| ("--image".to_owned(), pictures));
    for (i, sequence) in sequences.iter().enumerate() {
        let Some(count) = sequence.as_ref().and_then(Sequence::steps) else { continue };
        let title = inputs::port(session, i)?;
        match &known {
            Some((first, steps)) if *steps != count => {
                return Err(Failure::new(format!(
                    "{first} has {}, but {title} has {}; sequences need the same length",
                    text::count(*steps, "step"),
                    text::count(count, "step")
                )));
            }
            Some(_) => {}
            None => known = Some((title, count)),
        }
    }
    match known {
        Some((_, steps)) => Ok(steps),
        None if pictures == 1 => Ok(1),
        None => Err(Failure::new(
            "--each needs a sequence: several --image or --input K=VALUE, a .wav file, or an .npy file with one more \
             dimension than the input",
        )),
    }
}

/// A progress bar on terminals; it appears after a second.
fn progress(steps: usize, json: bool) -> ProgressBar {
    if json || steps < 2 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} step {pos} of {len}, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(steps as u64).with_style(style);
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for CarriedOutput { input_name, output_name, .. } in &self.state {
            let (from, to) = (text::shorten(output_name, 60), text::shorten(input_name, 60));
            writeln!(f, "{DIM}state: output '{from}' becomes input '{to}' of the next step{DIM:#}")?;
        }
        self.steps.iter().try_for_each(|step| step.write(f, self.in_line))?;
        for file in &self.files {
            writeln!(f, "{DIM}written to {}{DIM:#}", file.display())?;
        }
        let count = text::count(self.steps.len(), "step");
        writeln!(f, "{DIM}{count}, {:.3} ms each{DIM:#}", self.invoke_ms)
    }
}

impl Step {
    fn write(&self, f: &mut fmt::Formatter<'_>, in_line: usize) -> fmt::Result {
        write!(f, "{HEAD}step {:<4}{HEAD:#}", self.step)?;
        if let Some(seconds) = self.seconds {
            write!(f, "  {seconds:>8.3} s")?;
        }
        if let Some(image) = &self.image {
            write!(f, "  {}", text::Visible(image.display()))?;
        }
        let unread: Vec<&OutputReport> =
            self.outputs.iter().filter(|output| !self.readings.covers(output.index)).collect();
        match (self.readings.line(in_line), &unread[..]) {
            (Some(line), []) => writeln!(f, "  {line}"),
            (None, &[output]) if self.outputs.len() == 1 => {
                f.write_str("  ")?;
                output.write_line(f)
            }
            (line, _) => {
                writeln!(f, "  {}", line.as_deref().unwrap_or_default())?;
                if line.is_none() {
                    self.readings.fmt(f)?;
                }
                unread.iter().try_for_each(|output| {
                    f.write_str("  ")?;
                    output.write_line(f)
                })
            }
        }
    }
}
