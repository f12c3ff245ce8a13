//! SPIR-V of all kernels in `src/ops`, and a table of them.
//!
//! ```text
//! declaration of X, X.wgsl, files in its lines `// with Y.wgsl`, common.wgsl, functions.rs and .wgsl, angles.wgsl,
//! stored.wgsl, input.wgsl, epilogue.wgsl
//!     ─► naga ─► words of X, and its buffers, operands, numbers and constants
//! ```
//! Each kernel is compiled for 32-bit and for 16-bit floats, and kernels that read an `Input` also for 32-bit inputs
//! among 16-bit floats. Texts that depend on the precision have two files, `Y_f32.wgsl` and `Y_f16.wgsl`; wide inputs
//! are in `input_wide.wgsl`.
//!
//! A WGSL `override` should become a SPIR-V specialization constant, but naga requires its value. So an override
//! becomes a private variable with a unique initial value of at least `MARK`, and in the words, the constant with that
//! value becomes a specialization constant. Drivers treat a private variable that is never written as a constant.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Block, Module, Statement};

#[path = "../src/functions.rs"]
mod functions;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/kernels.rs"]
mod kernels;

use functions::{binary_functions, unary_functions};
use kernels::{Declaration, KernelName};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const OPS: &str = "src/ops";
/// The precisions of stored floats: 32 bits, 16 bits, or 16 bits with 32-bit inputs.
const PRECISIONS: [&str; 3] = ["f32", "f16", "wide"];
/// The first value that marks a specialization constant, and the number of such values.
const MARK: u32 = 0x5eed_0000;
const MARKS: u32 = 0x100;
/// Capacities of epilogues, each with a separate binary: fewer slots compile faster.
const SLOTS: [usize; 3] = [1, 3, 8];
/// The SPIR-V version of Vulkan 1.1.
const VERSION: (u8, u8) = (1, 3);

/// Writes a file of words per binary, and the table `kernels.rs`.
pub(crate) fn write() -> Result<()> {
    println!("cargo::rerun-if-changed=build/spirv.rs");
    println!("cargo::rerun-if-changed={OPS}");
    println!("cargo::rerun-if-changed=src/functions.rs");
    println!("cargo::rerun-if-changed=src/kernels.rs");
    let out = env::var("OUT_DIR")?;
    let functions = functions()?;
    let mut table = String::from("&[\n");
    for (file, precision) in files()?.iter().flat_map(|file| PRECISIONS.map(|precision| (file, precision))) {
        let read = |name: &str| read(name, precision);
        let own = read(file)?;
        let shared = ["common.wgsl", "functions.wgsl", "angles.wgsl", "stored.wgsl", "input.wgsl"].map(read);
        let shared = shared.into_iter().collect::<io::Result<String>>()?;
        let named = own.lines().filter_map(|line| line.strip_prefix("// with "));
        let named = named.map(read).collect::<io::Result<String>>()?;
        let calls_one = |function| [&own, &named].iter().any(|text| text.contains(function));
        if !own.contains("@compute") || (precision == "wide" && !calls_one("given(")) {
            continue;
        }
        let name = file.trim_end_matches(".wgsl");
        let declaration = declaration(name)?;
        if declaration.has_epilogue != calls_one("epilogue(") {
            return Err(format!("{file}: only one of text and declaration has an epilogue").into());
        }
        let arguments = declaration.wgsl();
        let slots: &[usize] = if declaration.has_epilogue { &SLOTS } else { &[0] };
        for &slots in slots {
            let behind = if slots > 0 { read("epilogue.wgsl")? + &calls(slots)? } else { String::new() };
            let text = [&*arguments, &own, &named, &behind, &shared, &functions].concat();
            let id = Id { name, slots, precision };
            let (words, entry) =
                kernel(&id, declaration, &text).map_err(|error| format!("{file}: {error}"))?;
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            fs::write(Path::new(&out).join(id.file()), bytes)?;
            table.push_str(&entry);
        }
    }
    fs::write(Path::new(&out).join("kernels.rs"), table + "]\n")?;
    Ok(())
}

/// The declaration of a kernel.
fn declaration(name: &str) -> Result<&'static Declaration> {
    let mut all = KernelName::ALL.iter().map(|kernel| kernel.declaration());
    all.find(|known| known.name == name).ok_or_else(|| format!("src/kernels.rs lacks '{name}'").into())
}

/// The functions of epilogues, by number. WGSL requires a default, which is the last.
fn functions() -> Result<String> {
    macro_rules! texts {
        ($($name:ident $opencl:literal $wgsl:literal;)*) => {
            [$($wgsl),*]
        };
    }
    let mut text = String::new();
    let signatures =
        ["unary(function: u32, v: vec4<f32>)", "binary(function: u32, v: vec4<f32>, o: vec4<f32>)"];
    let all = [&unary_functions!(texts)[..], &binary_functions!(texts)];
    for (signature, texts) in signatures.iter().zip(all) {
        writeln!(text, "fn {signature} -> vec4<f32> {{\n  switch function {{")?;
        for (i, function) in texts.iter().enumerate() {
            let case = if i + 1 == texts.len() { "default".into() } else { format!("case {i}u") };
            writeln!(text, "    {case}: {{ return {function}; }}")?;
        }
        writeln!(text, "  }}\n}}")?;
    }
    Ok(text)
}

/// Identifies a binary.
struct Id<'a> {
    /// The kernel.
    name: &'a str,
    /// The capacity of its epilogue.
    slots: usize,
    /// The precision of stored floats.
    precision: &'a str,
}

impl Id<'_> {
    fn file(&self) -> String {
        format!("{}_{}_{}.spv", self.name, self.slots, self.precision)
    }
}

/// Reads a text, in the variant for a precision if it has variants.
fn read(name: &str, precision: &str) -> io::Result<String> {
    let of = |precision: &str| Path::new(OPS).join(name.replace(".wgsl", &format!("_{precision}.wgsl")));
    let of_several = [of(precision), of(if precision == "wide" { "f16" } else { precision })];
    let found = of_several.into_iter().find(|path| path.exists());
    fs::read_to_string(found.unwrap_or_else(|| Path::new(OPS).join(name)))
}

/// All WGSL texts, sorted.
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

/// An epilogue with `slots` slots.
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

/// The words of a kernel and its line in the table.
fn kernel(id: &Id<'_>, declaration: &Declaration, text: &str) -> Result<(Vec<u32>, String)> {
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
        // Host code guarantees that loops end and divisors are not zero.
        force_loop_bounding: false,
        emit_int_div_checks: false,
        // Kernels write local memory before they read it.
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        ..spv::Options::default()
    };
    let words = specialize(&spv::write_vec(&module, &info, &options, None)?, &constants)?;
    if bound(&module, 0)? != declaration.buffers.len() as u32 {
        return Err(format!("the kernel does not use all of its buffers: {:?}", declaration.buffers).into());
    }
    let (mut line, Id { name, slots, precision }) = (String::new(), id);
    writeln!(line, "Text {{")?;
    writeln!(line, "    name: {name:?},")?;
    writeln!(line, "    slots: {slots},")?;
    writeln!(line, "    precision: {precision:?},")?;
    writeln!(line, "    bytes: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{}\")),", id.file())?;
    writeln!(line, "    constants: &{constants:?},")?;
    writeln!(line, "    buffers: {},", declaration.buffers.len())?;
    writeln!(line, "    operands: {},", bound(&module, 1)?)?;
    writeln!(line, "    numbers: {},", declaration.number_names().count())?;
    writeln!(line, "    loops: {},", loops(&module))?;
    writeln!(line, "}},")?;
    Ok((words, line))
}

/// Replaces overrides by marked variables, and returns their names.
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

/// The number of bindings of a group, which must be consecutive from 0.
fn bound(module: &Module, group: u32) -> Result<u32> {
    let bindings = module.global_variables.iter().filter_map(|(_, variable)| variable.binding);
    let mut bindings: Vec<u32> = bindings.filter(|b| b.group == group).map(|b| b.binding).collect();
    bindings.sort_unstable();
    match (0..).zip(&bindings).all(|(i, &binding)| i == binding) {
        true => Ok(bindings.len() as u32),
        false => Err(format!("group {group} has bindings {bindings:?}").into()),
    }
}

/// The loops of all functions.
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

/// Words in the header, opcodes, and the number of the decoration.
const HEADER: usize = 5;
const CONSTANT: u32 = 43;
const SPEC_CONSTANT: u32 = 50;
const DECORATE: u32 = 71;
const SPEC_ID: u32 = 1;

/// Turns marked constants into specialization constants. Each must occur once.
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
                *found.get_mut(number).ok_or("a constant has an unknown mark")? += 1;
                specialized.extend([4 << 16 | SPEC_CONSTANT, ty, id, 0]);
                decorations.extend([4 << 16 | DECORATE, id, SPEC_ID, number as u32]);
            }
            _ => specialized.extend_from_slice(instruction),
        }
    }
    if let Some((name, _)) = names.iter().zip(&found).find(|(_, found)| **found != 1) {
        return Err(format!("override {name} is not read").into());
    }
    let at = behind.ok_or("the module has no decorations")?;
    specialized.splice(at..at, decorations);
    Ok(specialized)
}
