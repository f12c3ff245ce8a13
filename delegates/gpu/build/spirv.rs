//! SPIR-V of all kernels in `src/ops`, and a table of them.
//!
//! ```text
//! common.wgsl, functions.wgsl, stored.wgsl, epilogue.wgsl, X.wgsl, and what lines `// with Y.wgsl` in it name
//!     ─► naga ─► words of X, and what X has: buffers, operands, numbers, constants
//! ```
//! Each is there twice: as floats are stored in 32 bits, and in 16; what reads an `Input` once more, where that has 32 bits and all else 16. Of
//! `Y.wgsl` that stores floats there are two files, `Y_f32.wgsl` and `Y_f16.wgsl`, and of inputs `input_wide.wgsl`; all others ask these for it.
//!
//! `override` of WGSL is a specialization constant of SPIR-V, but naga writes none: it wants values. So an override becomes a private
//! variable that begins with a number from `MARK` on, which nothing else has, and in the words the constant with that number becomes a
//! specialization constant. A private variable that nobody writes is a constant to drivers.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, Block, Handle, Module, Statement, Type, TypeInner};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const OPS: &str = "src/ops";
/// How floats are stored: in 32 bits, in 16, or in 16 but for what a kernel reads first.
const PRECISIONS: [&str; 3] = ["f32", "f16", "wide"];
/// The first number that stands for a specialization constant, and how many there may be.
const MARK: u32 = 0x5eed_0000;
const MARKS: u32 = 0x100;
/// Functions that an epilogue may have, each in a binary of its own: what is not there need not be compiled.
const SLOTS: [usize; 3] = [1, 3, 8];
/// The version of SPIR-V that devices of Vulkan 1.1 take.
const VERSION: (u8, u8) = (1, 3);

/// Writes a file of words per kernel, and the table `kernels.rs`.
pub fn write() -> Result<()> {
    println!("cargo::rerun-if-changed=build/spirv.rs");
    println!("cargo::rerun-if-changed={OPS}");
    let out = env::var("OUT_DIR")?;
    let mut table = String::from("&[\n");
    for (file, precision) in files()?.iter().flat_map(|file| PRECISIONS.map(|precision| (file, precision))) {
        let read = |name: &str| read(name, precision);
        let own = read(file)?;
        let shared = ["common.wgsl", "functions.wgsl", "stored.wgsl", "input.wgsl"].map(read);
        let shared = shared.into_iter().collect::<io::Result<String>>()?;
        let named = own.lines().filter_map(|line| line.strip_prefix("// with "));
        let named = named.map(read).collect::<io::Result<String>>()?;
        let calls_one = |function| [&own, &named].iter().any(|text| text.contains(function));
        if !own.contains("@compute") || (precision == "wide" && !calls_one("given(")) {
            continue;
        }
        let slots: &[usize] = if calls_one("epilogue(") { &SLOTS } else { &[0] };
        for &slots in slots {
            let behind = if slots > 0 { read("epilogue.wgsl")? + &calls(slots)? } else { String::new() };
            let text = [&*own, &named, &behind, &shared].concat();
            let id = Id { name: file.trim_end_matches(".wgsl"), slots, precision };
            let (words, entry) = kernel(&id, &text).map_err(|error| format!("{file}: {error}"))?;
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            fs::write(Path::new(&out).join(id.file()), bytes)?;
            table.push_str(&entry);
        }
    }
    fs::write(Path::new(&out).join("kernels.rs"), table + "]\n")?;
    Ok(())
}

/// What tells binaries apart.
struct Id<'a> {
    /// The kernel.
    name: &'a str,
    /// Functions that its epilogue may have.
    slots: usize,
    /// How floats are stored.
    precision: &'a str,
}

impl Id<'_> {
    fn file(&self) -> String {
        format!("{}_{}_{}.spv", self.name, self.slots, self.precision)
    }
}

/// A text, or the one of several where floats are stored so.
fn read(name: &str, precision: &str) -> io::Result<String> {
    let of = |precision: &str| Path::new(OPS).join(name.replace(".wgsl", &format!("_{precision}.wgsl")));
    let of_several = [of(precision), of(if precision == "wide" { "f16" } else { precision })];
    let found = of_several.into_iter().find(|path| path.exists());
    fs::read_to_string(found.unwrap_or_else(|| Path::new(OPS).join(name)))
}

/// All texts in WGSL, sorted.
fn files() -> Result<Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(OPS)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".wgsl") {
            files.push(name);
        }
    }
    files.sort();
    Ok(files)
}

/// An epilogue with so many slots.
fn calls(slots: usize) -> Result<String> {
    let (mut overrides, mut body) = (String::new(), String::new());
    for i in 0..slots {
        ["KIND", "LOW", "HIGH"]
            .iter()
            .try_for_each(|name| writeln!(overrides, "override {name}_{i}: u32;"))?;
        writeln!(body, "  v = function(v, at, s, KIND_{i}, LOW_{i}, HIGH_{i});")?;
    }
    let signature = "fn epilogue(result: vec4<f32>, at: i32, s: i32) -> vec4<f32>";
    Ok(format!("{overrides}{signature} {{\n  var v = result;\n{body}  return v;\n}}\n"))
}

/// A kernel's words, and its line in the table.
fn kernel(id: &Id<'_>, text: &str) -> Result<(Vec<u32>, String)> {
    let (text, constants) = mark(text)?;
    let mut module = naga::front::wgsl::parse_str(&text).map_err(|error| error.emit_to_string(&text))?;
    naga::compact::compact(&mut module, naga::compact::KeepUnused::No);
    let mut validator = Validator::new(
        ValidationFlags::all(),
        Capabilities::IMMEDIATES | Capabilities::SHADER_FLOAT16_IN_FLOAT32,
    );
    let info = validator.validate(&module).map_err(|error| error.emit_to_string(&text))?;
    let options = spv::Options {
        lang_version: VERSION,
        flags: spv::WriterFlags::empty(),
        // Loops end, and nothing is divided by zero: the host has seen to it.
        force_loop_bounding: false,
        emit_int_div_checks: false,
        // Kernels write local memory before they read it.
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        ..spv::Options::default()
    };
    let words = specialize(&spv::write_vec(&module, &info, &options, None)?, &constants)?;
    let (mut line, Id { name, slots, precision }) = (String::new(), id);
    writeln!(line, "Text {{")?;
    writeln!(line, "    name: {name:?},")?;
    writeln!(line, "    slots: {slots},")?;
    writeln!(line, "    precision: {precision:?},")?;
    writeln!(line, "    bytes: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{}\")),", id.file())?;
    writeln!(line, "    constants: &{constants:?},")?;
    writeln!(line, "    buffers: {},", bound(&module, 0)?)?;
    writeln!(line, "    operands: {},", bound(&module, 1)?)?;
    writeln!(line, "    numbers: &{:?},", numbers(&module)?)?;
    writeln!(line, "    loops: {},", loops(&module))?;
    writeln!(line, "}},")?;
    Ok((words, line))
}

/// The text with variables in the place of overrides, and their names.
fn mark(text: &str) -> Result<(String, Vec<String>)> {
    let (mut marked, mut names) = (String::new(), Vec::new());
    for line in text.lines() {
        match line.strip_prefix("override ").and_then(|rest| rest.strip_suffix(": u32;")) {
            Some(name) => {
                writeln!(marked, "var<private> {name}: u32 = {}u;", MARK + names.len() as u32)?;
                names.push(name.to_owned());
            }
            None => writeln!(marked, "{line}")?,
        }
    }
    if names.len() > MARKS as usize {
        return Err("there are too many overrides".into());
    }
    Ok((marked, names))
}

/// Bindings of a group, which count from 0.
fn bound(module: &Module, group: u32) -> Result<u32> {
    let bindings = module.global_variables.iter().filter_map(|(_, variable)| variable.binding);
    let mut bindings: Vec<u32> = bindings.filter(|b| b.group == group).map(|b| b.binding).collect();
    bindings.sort_unstable();
    match (0..).zip(&bindings).all(|(i, &binding)| i == binding) {
        true => Ok(bindings.len() as u32),
        false => Err(format!("group {group} has bindings {bindings:?}").into()),
    }
}

/// Names of the numbers of four bytes that the host pushes, in order.
fn numbers(module: &Module) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let variables = module.global_variables.iter().map(|(_, variable)| variable);
    for pushed in variables.filter(|variable| variable.space == AddressSpace::Immediate) {
        push_names(module, pushed.ty, "", &mut names)?;
    }
    Ok(names)
}

/// Adds the names of a struct's fields, and of the fields of structs in it.
fn push_names(module: &Module, ty: Handle<Type>, name: &str, names: &mut Vec<String>) -> Result<()> {
    match &module.types[ty].inner {
        TypeInner::Struct { members, .. } => members.iter().try_for_each(|member| {
            push_names(module, member.ty, member.name.as_deref().unwrap_or(""), names)
        }),
        TypeInner::Scalar(scalar) if scalar.width == 4 && !name.is_empty() => {
            names.push(name.to_owned());
            Ok(())
        }
        other => Err(format!("'{name}' is pushed and is no number of four bytes: {other:?}").into()),
    }
}

/// Loops of all functions.
fn loops(module: &Module) -> usize {
    let functions = module.functions.iter().map(|(_, function)| function);
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    functions.chain(entries).map(|function| loops_of(&function.body)).sum()
}

fn loops_of(block: &Block) -> usize {
    let of = |statement: &Statement| match statement {
        Statement::Loop { body, continuing, .. } => 1 + loops_of(body) + loops_of(continuing),
        Statement::Block(block) => loops_of(block),
        Statement::If { accept, reject, .. } => loops_of(accept) + loops_of(reject),
        Statement::Switch { cases, .. } => cases.iter().map(|case| loops_of(&case.body)).sum(),
        _ => 0,
    };
    block.iter().map(of).sum()
}

/// Words of a header; opcodes, and the number of the decoration.
const HEADER: usize = 5;
const CONSTANT: u32 = 43;
const SPEC_CONSTANT: u32 = 50;
const DECORATE: u32 = 71;
const SPEC_ID: u32 = 1;

/// Makes specialization constants of what is marked. Each has to be there once.
fn specialize(words: &[u32], names: &[String]) -> Result<Vec<u32>> {
    let mut specialized = words[..HEADER].to_vec();
    let (mut found, mut decorations) = (vec![0; names.len()], Vec::new());
    let (mut rest, mut behind) = (&words[HEADER..], None);
    while let Some(&first) = rest.first() {
        let (instruction, others) =
            rest.split_at_checked((first >> 16) as usize).filter(|(i, _)| !i.is_empty()).ok_or("cut off")?;
        rest = others;
        if first & 0xffff == DECORATE && behind.is_none() {
            behind = Some(specialized.len());
        }
        match *instruction {
            [_, ty, id, value] if first & 0xffff == CONSTANT && (MARK..MARK + MARKS).contains(&value) => {
                let number = (value - MARK) as usize;
                *found.get_mut(number).ok_or("a constant is marked that is none")? += 1;
                specialized.extend([4 << 16 | SPEC_CONSTANT, ty, id, 0]);
                decorations.extend([4 << 16 | DECORATE, id, SPEC_ID, number as u32]);
            }
            _ => specialized.extend_from_slice(instruction),
        }
    }
    if let Some((name, _)) = names.iter().zip(&found).find(|(_, found)| **found != 1) {
        return Err(format!("override {name} is not read").into());
    }
    let at = behind.ok_or("there are no decorations")?;
    specialized.splice(at..at, decorations);
    Ok(specialized)
}
