//! `arenite run`: invokes a model once, or with `--each` once per value of a sequence, and shows its outputs.

use std::fmt::{self, Display};
use std::path::PathBuf;
use std::time::Instant;

use arenite::ElementType;
use arenite_answers::RankedClass;
use arenite_common::inspection::DelegateRefusal;
use serde::Serialize;

use crate::answer::{Answer, Result};
use crate::each;
use crate::inputs::{self, InputReport, note_random};
use crate::outputs::{OutputCollection, OutputOptions, OutputReport};
use crate::picture::DecodedPicture;
use crate::readings::{Context, ReadingReport};
pub(crate) use crate::run_options::Arguments;
use crate::session::Session;
use crate::text::DIM;

#[derive(Serialize)]
struct Report {
    model: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    inputs: Vec<InputReport>,
    invoke_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    top: Option<Vec<RankedClass>>,
    /// The readings of the outputs.
    readings: ReadingReport,
    outputs: Vec<OutputReport>,
    /// Delegates that were skipped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<DelegateRefusal>,
    /// Why `--labels`, `--top` or `--draw` found nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Answer> {
    let options = &arguments.outputs;
    let model = arguments.loading.model(&arguments.model)?;
    let context = arguments.readings.context(&model, options.signature.as_deref())?;
    let picture = if arguments.each.each { None } else { arguments.picture.load()? };
    let rebatched = arguments.batch.change(&model, options.signature.as_deref(), &arguments.common)?;
    let mut interpreter = arguments.common.interpreter(&rebatched.model)?;
    let mut session = Session::open(&mut interpreter, options.signature.as_deref())?;
    rebatched.resize(&mut session)?;
    inputs::resize(&mut session, &arguments.inputs.resize)?;
    let shapes: Vec<String> = arguments.inputs.resize.iter().map(ToString::to_string).collect();
    session.allocate_resized(&shapes)?;
    if arguments.each.each {
        return each::run(arguments, &mut session, &context);
    }
    once(arguments, &mut session, &context, picture.as_ref())
}

/// Invokes the model once.
fn once(
    arguments: &Arguments,
    session: &mut Session<'_>,
    context: &Context,
    picture: Option<&DecodedPicture<'_>>,
) -> Result<Answer> {
    let options = &arguments.outputs;
    let normalization = |input: usize, ty: ElementType| context.normalization(input, ty);
    let picture = picture.map(|picture| picture.with(&normalization));
    let sample_rate = |input: usize| context.sample_rate(input);
    let inputs = inputs::fill(session, &arguments.inputs, picture.as_ref(), &sample_rate)?;
    note_random(&inputs);
    let start = Instant::now();
    session.invoke()?;
    let invoke_ms = start.elapsed().as_secs_f64() * 1e3;
    let files = write(session, options)?;
    let mut outputs = (0..session.outputs().len())
        .map(|i| OutputReport::of(session, i, options.values))
        .collect::<Result<Vec<_>>>()?;
    outputs.iter_mut().zip(files).for_each(|(output, file)| output.file = Some(file));
    let mut readings = arguments.readings.read(session, context, picture.as_ref())?;
    let failure = readings.failure.take();
    let report = Report {
        model: arguments.model.clone(),
        signature: options.signature.clone(),
        inputs,
        invoke_ms,
        top: readings.top().map(<[RankedClass]>::to_vec),
        readings,
        outputs,
        left_out: session.left_out(),
        error: failure.as_ref().map(ToString::to_string),
    };
    match failure {
        Some(failure) => Answer::failed(&report, arguments.common.json, failure),
        None => Answer::new(&report, arguments.common.json),
    }
}

/// Writes the outputs of a single invocation, before anything else can fail.
fn write(session: &Session<'_>, options: &OutputOptions) -> Result<Vec<PathBuf>> {
    let mut collected = OutputCollection::new(options, false);
    collected.add(session)?;
    collected.write(session)
}

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.readings.fmt(f)?;
        let unread = self.outputs.iter().filter(|output| !self.readings.covers(output.index));
        unread.clone().try_for_each(|output| output.fmt(f))?;
        for (output, file) in self.outputs.iter().filter_map(|o| Some((o, o.file.as_ref()?))) {
            writeln!(f, "{DIM}output {} written to {}{DIM:#}", output.index, file.display())?;
        }
        Ok(())
    }
}
