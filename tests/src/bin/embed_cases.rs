//! Embeds conformance cases as C for this machine: `embed_cases FOLDER PATH…`.
//!
//! Writes `case_N.c` and its header for every case that the micro interpreter runs and that can be embedded, `cases.c`,
//! a table of them, and `cases.bin`: the bytes of each case's inputs, followed by its outputs in the micro interpreter,
//! which `conformance --micro` compares with the reference ops. `tests/micro/test.sh sweep` compiles and
//! runs them.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use arenite_micro::{EmbeddableOp, Embedding, Planner, PointerWidth, Sources};
use arenite_ops::{PATHS, PLUGIN, STATES};
use arenite_tests::case::Case;
use arenite_tests::micro::{Aligned, Ran, run_case};
use arenite_tests::selection::Selection;
use arenite_tests::source;
use clap::Parser;

/// Embeds conformance cases as C for this machine.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The folder for the files.
    folder: PathBuf,
    /// Case folders, zips of cases, or folders of either.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
}

/// Larger constants would make the C files too large to compile quickly.
const MAX_CONSTANTS: usize = 1 << 18;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("embed_cases: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let text = |error: std::io::Error| error.to_string();
    fs::create_dir_all(&arguments.folder).map_err(text)?;
    let (selection, ops) = (Selection::all()?, ops());
    let (mut table, mut data) = (Table::default(), Vec::new());
    let mut refusals = BTreeMap::<String, usize>::new();
    for path in &arguments.paths {
        for source in source::find(path)? {
            let case = Case::read(source)?;
            if !selection.takes(&case) {
                continue;
            }
            match embed(&case, &ops, table.count, &arguments.folder) {
                Ok(run) => {
                    table.add(&case, &run);
                    data.extend([run.inputs, run.outputs].concat().into_iter().flatten());
                }
                Err(reason) => *refusals.entry(format!("{}: {reason}", case.text.op)).or_default() += 1,
            }
        }
    }
    fs::write(arguments.folder.join("cases.c"), table.finish()).map_err(text)?;
    fs::write(arguments.folder.join("cases.bin"), data).map_err(text)?;
    let refused: usize = refusals.values().sum();
    println!("{} cases embedded, {refused} not:", table.count);
    refusals.iter().for_each(|(reason, count)| println!("{count:6} {reason}"));
    Ok(())
}

/// The reference ops with their kernels.
fn ops() -> Vec<EmbeddableOp> {
    let op = |(i, path): (usize, &&str)| Some(EmbeddableOp::of_path(*PLUGIN.op(i)?.0, path));
    PATHS.iter().enumerate().filter_map(op).collect()
}

/// Runs a case in the micro interpreter, and writes it as C.
fn embed(case: &Case, ops: &[EmbeddableOp], number: usize, folder: &Path) -> Result<Ran, String> {
    if case.text.random {
        return Err("it draws random numbers".into());
    }
    let ran = run_case(case)?;
    let model = Aligned::of(&case.source.read(&case.text.model)?);
    let made = Embedding::new(PointerWidth::HERE, model.as_slice(), ops, &mut |records| {
        Planner::Greedy.place(records)
    });
    let made = made.map_err(|error| error.to_string())?;
    if made.constant_bytes() > MAX_CONSTANTS {
        return Err(format!("its constants have more than {MAX_CONSTANTS} bytes"));
    }
    let (name, title) = (format!("case_{number}"), format!("{} for this machine", case.text.name));
    for file in made.to_c(&Sources { name: &name, title: &title, states: STATES }) {
        fs::write(folder.join(file.name), file.text).map_err(|error| error.to_string())?;
    }
    Ok(ran)
}

/// The text of `cases.c`.
#[derive(Default)]
struct Table {
    count: usize,
    includes: String,
    rows: String,
}

impl Table {
    fn add(&mut self, case: &Case, run: &Ran) {
        let n = self.count;
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.includes, "#include \"case_{n}.h\"");
        let _ = writeln!(
            self.rows,
            "    {{{:?}, case_{n}_init, case_{n}_input, case_{n}_input_bytes, case_{n}_output, case_{n}_output_bytes, \
             case_{n}_run, {}, {}, {}}},",
            case.text.name,
            run.inputs.len(),
            run.outputs.len(),
            case.text.set.invokes
        );
        self.count += 1;
    }

    fn finish(&self) -> String {
        let Table { includes, rows, .. } = self;
        format!("{includes}\n#include \"sweep.h\"\n\nconst Case cases[] = {{\n{rows}    {{0}},\n}};\n")
    }
}
