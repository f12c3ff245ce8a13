//! An [`Embedding`] as a Rust file without `unsafe`, for `arenite_micro::embedded`.

use alloc::format;
use alloc::vec::Vec;

use arenite_abi::plain::PointerWidth;
use arenite_abi::{ElementType, unsupported};

use super::rust_model;
use super::rust_values::{Form, kernels, memory, numbers, real, view};
use super::tables::{Buffer, Embedding, Node, Port, Tensor};
use super::write::{SourceFile, Text, comment, literal, scale_note};
use crate::error::{Error, Result};
use arenite_model::detail;

/// Names for a generated Rust file.
pub struct RustSource<'s> {
    /// The file is `NAME.rs`.
    pub name: &'s str,
    /// The comment at the head of the file.
    pub title: &'s str,
    /// Identifies the states of the ops, which must equal the states of the kernels.
    pub states: u32,
    /// The symbols of forms of `eval`, with their paths in `arenite-ops`.
    pub forms: &'s [(&'s str, &'s str)],
    /// The path of an arena that models share; `None` for a separate one.
    pub arena: Option<&'s str>,
}

impl Embedding {
    /// The model as a Rust file: a struct `Model`, and its tables.
    ///
    /// # Errors
    /// A node runs a C function.
    pub fn to_rust(&self, source: &RustSource<'_>) -> Result<SourceFile> {
        let forms = kernels(&self.nodes, source.forms).map_err(|node| {
            let (subgraph, code, kernel) = (node.subgraph, node.code, &node.kernel);
            let error = unsupported!(
                "its op names the C function '{kernel}', which Rust code without `unsafe` cannot call; use --lang c"
            );
            Error::Node { subgraph: detail(subgraph), node: detail(node.index), code: detail(code), error }
        })?;
        let mut file = RustFile { made: self, source, forms, text: Text::default() };
        file.interface();
        file.tables();
        Ok(SourceFile { name: format!("{}.rs", source.name), text: file.text.0 })
    }
}

/// Writes the file.
struct RustFile<'e> {
    made: &'e Embedding,
    source: &'e RustSource<'e>,
    /// The functions that nodes run.
    forms: Vec<Form<'e>>,
    text: Text,
}

impl RustFile<'_> {
    /// The items that the program uses.
    fn interface(&mut self) {
        let (made, title) = (self.made, comment(self.source.title));
        self.text.line(format!("// {title}. Do not edit.\n"));
        for (what, name, bytes) in [
            ("RAM of the arena, which models may share", "ARENA", made.arena),
            ("RAM of variables, and of states that ops keep between runs", "VARIABLE", made.variable_bytes),
            ("flash of constants and states", "CONSTANT", made.constant_bytes()),
        ] {
            self.text.line(format!(
                "/// Bytes of {what}.\n#[allow(dead_code, unreachable_pub)]\npub const {name}_BYTES: usize = {bytes};"
            ));
        }
        self.text.line(format!(
            "\n/// {title}. Dropping it gives its memory back; variables keep their values.\n\
             #[allow(unreachable_pub)]\npub struct Model(arenite_micro::embedded::Owned<ARENA_BYTES, VARIABLE_BYTES>);\n\n\
             #[allow(dead_code, unreachable_pub, clippy::all)]\n#[rustfmt::skip]\nimpl Model {{\n    \
             /// The model, unless another part of the program has it, or a model with the same arena.\n    \
             pub fn take() -> Option<Self> {{\n        tables::PROGRAM.take().map(Self)\n    }}\n\n    \
             /// Sets variables to their first values, to start again.\n    \
             pub fn reset(&mut self) {{\n        self.0.reset();\n    }}\n\n    \
             /// Runs the model. Every run overwrites the inputs.\n    ///\n    \
             /// # Errors\n    /// The status of the node that failed.\n    \
             pub fn run(&mut self) -> Result<(), arenite_micro::embedded::Status> {{\n        \
             self.0.run()\n    }}"
        ));
        self.ports("input", &made.inputs, true);
        self.ports("output", &made.outputs, false);
        self.text.line("}\n");
    }

    /// The functions for all inputs or outputs.
    fn ports(&mut self, what: &str, list: &[usize], writable: bool) {
        let tensors: Vec<&Tensor> = list.iter().map(|&t| &self.made.tensors[t]).collect();
        let (reference, suffix) = if writable { ("&mut ", "_mut") } else { ("&", "") };
        let note = if writable { "to be written before each run" } else { "valid until the next run" };
        for (i, tensor) in tensors.iter().enumerate() {
            let (name, ty, shape) = (comment(&tensor.name).replace('`', "_"), tensor.ty, &tensor.shape);
            let (item, count, call) = view(tensor, suffix, None);
            self.text.line(format!(
                "\n    /// `{name}`: `{ty} {shape:?}`{}; {note}.\n    \
                 pub fn {what}_{i}({reference}self) -> {reference}[{item}; {count}] {{\n        {call}\n    }}",
                scale_note(tensor)
            ));
        }
        self.text.line(format!(
            "\n    /// The bytes of the {what} with this index, {note}; `None` if the index is too large.\n    \
             pub fn {what}({reference}self, index: usize) -> Option<{reference}[u8]> {{\n        match index {{"
        ));
        for (i, tensor) in tensors.iter().enumerate() {
            let (.., call) = view(tensor, suffix, Some(ElementType::U8));
            self.text.line(format!("            {i} => Some({call}),"));
        }
        self.text.line("            _ => None,\n        }\n    }");
    }

    /// The module with the tables.
    fn tables(&mut self) {
        let made = self.made;
        let bits = if made.width == PointerWidth::Bits32 { 32 } else { 64 };
        self.text.line(format!(
            "#[allow(dead_code, unreachable_pub, clippy::all)]\n#[rustfmt::skip]\nmod tables {{\n\
             use arenite_micro::embedded as e;\nuse e::Memory as M;\n\
             use super::{{ARENA_BYTES, VARIABLE_BYTES}};\n\n\
             const _: () = assert!(usize::BITS == {bits}, \"the file is for a machine with other pointers\");\n\
             const _: () = assert!(arenite_ops::STATES == {}, \"the file is for another version of arenite-ops\");\n",
            self.source.states
        ));
        for (i, form) in self.forms.iter().enumerate() {
            self.text.line(form.item(i));
        }
        match self.source.arena {
            Some(path) => self.text.line(format!("use {path} as ARENA;")),
            None => self.text.line("static ARENA: e::Arena<ARENA_BYTES> = e::Arena::new();"),
        }
        if made.variable_bytes > 0 {
            self.text.line("static VARIABLES: e::Arena<VARIABLE_BYTES> = e::Arena::new();");
        }
        for (i, constant) in made.constants.iter().enumerate() {
            self.aligned(&format!("CONSTANT_{i}"), &constant.bytes);
        }
        self.tensors();
        self.nodes();
        if let Some(model) = &made.model {
            rust_model::write(&mut self.text, model);
        }
        self.program();
        self.text.line("}");
    }

    fn aligned(&mut self, name: &str, bytes: &[u8]) {
        self.text.line(format!(
            "pub(super) static {name}: e::Aligned<{}> = e::Aligned(*{});",
            bytes.len(),
            literal(bytes)
        ));
    }

    fn tensors(&mut self) {
        let made = self.made;
        for (i, q) in made.tensors.iter().enumerate().filter_map(|(i, t)| Some((i, t.scales.as_ref()?))) {
            let scales = q.scales.iter().map(|&scale| real(scale)).collect::<Vec<_>>().join(", ");
            self.text.line(format!(
                "static SCALES_{i}: e::Scales = e::Scales::new(&[{scales}], &{:?}, {}, {});",
                q.zero_points, q.dimension, q.block_size
            ));
        }
        self.text.line(format!("\nstatic TENSORS: [e::Tensor; {}] = [", made.tensors.len()));
        for (i, tensor) in made.tensors.iter().enumerate() {
            let scales = tensor.scales.as_ref().map_or("None".into(), |_| format!("Some(&SCALES_{i})"));
            self.text.line(format!(
                "    /* {i} {} */ e::Tensor::new(e::ElementType::{:?}, &{:?}, {}, {scales}, {}),",
                comment(&tensor.name),
                tensor.ty,
                tensor.shape,
                memory(tensor.place, tensor.bytes),
                tensor.flags
            ));
        }
        self.text.line("];\n");
    }

    fn nodes(&mut self) {
        let nodes = &self.made.nodes;
        for (i, node) in nodes.iter().enumerate().filter(|(_, node)| !node.ports.is_empty()) {
            let ports = node.inputs.iter().chain(&node.outputs).zip(&node.ports);
            let port = |(&t, port): (&i32, &Option<Port>)| match port {
                Some(port) => format!("e::Port::of(&TENSORS[{t}], {})", port.ty.bits() / 8),
                None => "e::Port::LOOK_UP".into(),
            };
            let list = ports.map(port).collect::<Vec<_>>().join(", ");
            self.text.line(format!("static PORTS_{i}: [e::Port; {}] = [{list}];", node.ports.len()));
        }
        self.text.line(format!("\nstatic NODES: [e::Node; {}] = [", nodes.len()));
        for (i, node) in nodes.iter().enumerate() {
            let ports = if node.ports.is_empty() { "&[]".into() } else { format!("&PORTS_{i}") };
            self.text.line(format!(
                "    /* {} */ e::Node::new(e::NodeOrigin {{ code: {}, version: {}, index: {} }}, &TENSORS, [{}, {}, {}], \
                 {}, {ports}),",
                node.op,
                node.code,
                node.version,
                node.index,
                numbers(&node.inputs),
                numbers(&node.outputs),
                numbers(&node.intermediates),
                literal(&node.custom_options),
            ));
        }
        self.text.line("];\n");
        for (i, node) in nodes.iter().enumerate() {
            self.aligned(&format!("STATE_{i}"), &node.state);
            self.context(i, node);
        }
        self.steps();
    }

    /// The context of a node with buffers. All others share two.
    fn context(&mut self, i: usize, node: &Node) {
        let [persistent, scratch] = [&node.persistent, &node.scratch].map(|list| {
            let buffer = |buffer: &Buffer| format!("e::Buffer::new({})", memory(buffer.place, buffer.bytes));
            list.iter().map(buffer).collect::<Vec<_>>().join(", ")
        });
        if !persistent.is_empty() || !scratch.is_empty() {
            let call = if self.is_caller(node) { "caller(&MODEL, " } else { "new(" };
            self.text.line(format!(
                "static CONTEXT_{i}: e::Context = e::Context::{call}&[{persistent}], &[{scratch}]);"
            ));
        }
    }

    /// Whether the node may call subgraphs and use variables.
    fn is_caller(&self, node: &Node) -> bool {
        node.is_stateful && self.made.model.is_some()
    }

    fn steps(&mut self) {
        let nodes = &self.made.nodes;
        self.text.line("\nstatic NO_BUFFERS: e::Context = e::Context::new(&[], &[]);");
        if self.made.model.is_some() {
            self.text.line("static CALLER: e::Context = e::Context::caller(&MODEL, &[], &[]);");
        }
        self.text.line(format!("static STEPS: [e::Step; {}] = [", nodes.len()));
        for (i, node) in nodes.iter().enumerate() {
            let kernel = self.forms.iter().position(|form| form.symbol == node.kernel).unwrap_or_default();
            let context = match node.persistent.is_empty() && node.scratch.is_empty() {
                false => format!("CONTEXT_{i}"),
                true if self.is_caller(node) => "CALLER".into(),
                true => "NO_BUFFERS".into(),
            };
            self.text
                .line(format!("    e::Step::new::<Kernel{kernel}, _>(&{context}, &NODES[{i}], &STATE_{i}),"));
        }
        self.text.line("];\n");
    }

    fn program(&mut self) {
        let made = self.made;
        self.text.line("static FIRST: &[(usize, e::First)] = &[");
        for variable in made.variables.iter().filter(|variable| !variable.first.is_empty()) {
            let (first, byte) = (&variable.first, variable.first[0]);
            let value = match first.iter().all(|other| *other == byte) {
                true => format!("Fill({byte}, {})", first.len()),
                false => format!("Bytes({})", literal(first)),
            };
            self.text.line(format!("    ({}, e::First::{value}),", variable.at));
        }
        let variables = if made.variable_bytes > 0 { "Some(&VARIABLES)" } else { "None" };
        let model = if made.model.is_some() { "Some(&MODEL)" } else { "None" };
        self.text.line(format!(
            "];\n\npub(super) static PROGRAM: e::Program<ARENA_BYTES, VARIABLE_BYTES> =\n    \
             arenite_micro::generated_program!(e::Parts {{\n        \
             arena: &ARENA, variables: {variables}, first: FIRST, steps: &STEPS, main: {}, model: {model},\n    }});",
            made.main
        ));
    }
}
