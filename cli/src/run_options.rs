//! The options of `arenite run`.

use std::path::PathBuf;

use clap::Args;

use crate::answer::Result;
use crate::batch::BatchOptions;
use crate::carried::StatePair;
use crate::inputs::{self, InputOptions};
use crate::mapped::Loading;
use crate::options::Common;
use crate::outputs::OutputOptions;
use crate::picture::{self, PictureOptions};
use crate::readings::ReadingOptions;
use crate::sound_input;

#[derive(Args)]
#[command(after_help = format!("{}\n\n{}\n\n{}", inputs::RULE, sound_input::RULE, picture::rule()))]
pub(crate) struct Arguments {
    /// The model, a .tflite file
    pub model: PathBuf,

    #[command(flatten)]
    pub picture: PictureOptions,

    #[command(flatten)]
    pub inputs: InputOptions,

    #[command(flatten)]
    pub batch: BatchOptions,

    #[command(flatten)]
    pub each: EachOptions,

    #[command(flatten)]
    pub readings: ReadingOptions,

    #[command(flatten)]
    pub outputs: OutputOptions,

    #[command(flatten)]
    pub loading: Loading,

    #[command(flatten)]
    pub common: Common,
}

#[derive(Args)]
#[command(next_help_heading = "Sequences")]
pub(crate) struct EachOptions {
    /// Run the model once per value of a sequence, and keep its state in between. Sequences are
    /// several --image or --input K=VALUE, a .wav file (frames of the input's length), or an .npy
    /// file with one more dimension than the input. Variables keep their values; outputs whose
    /// names match an input's (state_out, state_in) become the next step's inputs, zero at first
    #[arg(long)]
    pub each: bool,

    /// Samples from the start of a frame of sound to the next [default: the input's length]
    #[arg(long, value_name = "N", requires = "each", value_parser = parse_hop)]
    pub hop: Option<usize>,

    /// Carry these outputs over to these inputs, by position or name, and no others (repeatable);
    /// 'none' carries none
    #[arg(long, value_name = "IN=OUT", requires = "each")]
    pub state: Vec<StatePair>,
}

fn parse_hop(text: &str) -> Result<usize, String> {
    let value = text.parse::<usize>().ok().filter(|&hop| hop > 0);
    value.ok_or_else(|| "expected a number of samples, 1 or more".into())
}
