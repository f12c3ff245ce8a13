//! An [`Embedding`] as a C file and its header, for `arenite_embedded.h`.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use arenite_abi::ElementType;
use arenite_abi::plain::PointerWidth;

use super::c_model;
use super::tables::{Buffer, Constant, Embedding, Node, Place, Port, Tensor, Variable};
use super::write::{SourceFile, Sources, Text, comment, scale_note, words};

impl Embedding {
    /// The model in C99: `NAME.h` and `NAME.c`.
    pub fn to_c(&self, sources: &Sources<'_>) -> [SourceFile; 2] {
        let header = SourceFile { name: format!("{}.h", sources.name), text: self.c_header(sources) };
        [header, SourceFile { name: format!("{}.c", sources.name), text: CFile::new(self, sources).finish() }]
    }

    fn c_header(&self, sources: &Sources<'_>) -> String {
        let (name, upper) = (sources.name, sources.upper());
        let mut text = Text::default();
        text.line(format!("/* {}. Do not edit. */", comment(sources.title)));
        text.line(format!("#ifndef {upper}_H\n#define {upper}_H\n\n#include <arenite_embedded.h>\n"));
        text.line("/* Bytes of RAM: the arena, which models may share, and variables. Bytes of constants in flash. */");
        text.line(format!("#define {upper}_ARENA_BYTES {}", self.arena));
        text.line(format!("#define {upper}_VARIABLE_BYTES {}", self.variable_bytes));
        text.line(format!("#define {upper}_CONSTANT_BYTES {}", self.constant_bytes()));
        for (what, list) in [("INPUT", &self.inputs), ("OUTPUT", &self.outputs)] {
            text.line(format!("\n#define {upper}_{what}_COUNT {}", list.len()));
            for (i, tensor) in list.iter().map(|&t| &self.tensors[t]).enumerate() {
                let (name, ty, shape) = (comment(&tensor.name), tensor.ty, &tensor.shape);
                text.line(format!("/* {name}: {ty} {shape:?}{} */", scale_note(tensor)));
                text.line(format!("#define {upper}_{what}_{i}_BYTES {}", tensor.bytes));
            }
        }
        text.line(format!(
            "\n/* Sets variables to their first values. Call it before the first run, or to start again. */\n\
             void {name}_init(void);\n\n\
             /* The memory of an input, to be written before each run, and its size; NULL and 0 if there is none with\n\
             \x20  this index. */\n\
             void *{name}_input(size_t index);\n\
             size_t {name}_input_bytes(size_t index);\n\n\
             /* The memory of an output, valid until the next run, and its size. */\n\
             const void *{name}_output(size_t index);\n\
             size_t {name}_output_bytes(size_t index);\n\n\
             /* Runs the model. Every run overwrites the inputs. */\n\
             ArStatus {name}_run(void);\n\n#endif"
        ));
        text.0
    }
}

/// Writes the C file.
struct CFile<'e> {
    made: &'e Embedding,
    name: &'e str,
    upper: String,
    states: u32,
    text: Text,
}

impl<'e> CFile<'e> {
    fn new(made: &'e Embedding, sources: &'e Sources<'_>) -> Self {
        let mut text = Text::default();
        text.line(format!("/* {}. Do not edit. */", comment(sources.title)));
        CFile { made, name: sources.name, upper: sources.upper(), states: sources.states, text }
    }

    fn finish(mut self) -> String {
        self.head();
        self.memory();
        self.constants();
        self.tensors();
        if self.made.model.is_some() {
            self.text.line("static const ArEmbeddedModel model;\n");
        }
        self.nodes();
        if let Some(model) = &self.made.model {
            c_model::write(&mut self.text, model, self.made.tensors.len());
        }
        self.functions();
        self.text.0
    }

    fn head(&mut self) {
        let bytes = if self.made.width == PointerWidth::Bits32 { 4 } else { 8 };
        self.text.line(format!("#include \"{}.h\"\n\n#include <string.h>\n", self.name));
        self.text.line(format!(
            "AR_EMBEDDED_FOR({bytes}); /* pointers of {bytes} bytes; else generate it for the machine */\n"
        ));
        let mut kernels: Vec<&str> = self.made.nodes.iter().map(|node| &node.kernel[..]).collect();
        kernels.sort_unstable();
        kernels.dedup();
        for kernel in kernels {
            self.text.line(format!("AR_EMBEDDED_KERNEL({kernel});"));
        }
    }

    /// Arena and variables. An empty block has one byte, because C has no empty arrays.
    fn memory(&mut self) {
        let upper = &self.upper;
        self.text.line(format!(
            "\n/* Models that run in turns can share an arena: define {upper}_ARENA as the name of an array of at least\n\
             \x20  {upper}_ARENA_BYTES bytes, aligned to 16. */\n\
             #ifdef {upper}_ARENA\nextern uint8_t {upper}_ARENA[];\n#define arena {upper}_ARENA\n#else\n\
             static AR_EMBEDDED_UNUSED AR_EMBEDDED_ALIGNED uint8_t arena[{upper}_ARENA_BYTES + 1];\n#endif"
        ));
        if self.made.variable_bytes > 0 {
            self.text.line(format!("static AR_EMBEDDED_ALIGNED uint8_t variables[{upper}_VARIABLE_BYTES];"));
        }
        self.text.line("");
    }

    fn list(&mut self, name: &str, constant: &Constant) {
        let (ty, items) = words(constant);
        self.text.line(format!("static const {ty} {name}[] = {{"));
        self.text.items(items);
        self.text.line("};");
    }

    fn constants(&mut self) {
        let made = self.made;
        for (i, constant) in made.constants.iter().enumerate() {
            self.list(&format!("constant_{i}"), constant);
        }
    }

    fn tensors(&mut self) {
        let made = self.made;
        for (i, tensor) in made.tensors.iter().enumerate() {
            if !tensor.shape.is_empty() {
                let dims = tensor.shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                self.text.line(format!("static const int32_t dims_{i}[] = {{{dims}}};"));
            }
            self.scales(i, tensor);
        }
        self.text.line(format!(
            "\nstatic AR_EMBEDDED_UNUSED const ArTensorV1 tensors[{}] = {{",
            made.tensors.len().max(1)
        ));
        for (i, tensor) in made.tensors.iter().enumerate() {
            let dims = if tensor.shape.is_empty() { "NULL".into() } else { format!("dims_{i}") };
            let scales = tensor.scales.as_ref().map_or("NULL".into(), |_| format!("&scales_{i}"));
            self.text.line(format!(
                "    /* {i} {} */ AR_EMBEDDED_TENSOR({}, {}, {dims}, {}, {}, {scales}, {}),",
                comment(&tensor.name),
                tensor.ty as u32,
                tensor.shape.len(),
                place(tensor.place),
                tensor.bytes,
                tensor.flags
            ));
        }
        if made.tensors.is_empty() {
            self.text.line("    AR_EMBEDDED_TENSOR(0, 0, NULL, NULL, 0, NULL, 0),");
        }
        self.text.line("};\n");
    }

    fn scales(&mut self, i: usize, tensor: &Tensor) {
        let Some(q) = &tensor.scales else { return };
        let scales = q.scales.iter().flat_map(|scale| scale.to_le_bytes()).collect();
        self.list(&format!("scale_{i}"), &Constant { ty: ElementType::F32, bytes: scales });
        let zero_points = q.zero_points.iter().flat_map(|zero| zero.to_le_bytes()).collect();
        self.list(&format!("zero_point_{i}"), &Constant { ty: ElementType::I64, bytes: zero_points });
        self.text.line(format!(
            "static const ArQuantizationV1 scales_{i} = AR_EMBEDDED_SCALES(scale_{i}, {}, zero_point_{i}, {}, {}, {});",
            q.scales.len(),
            q.zero_points.len(),
            q.dimension,
            q.block_size
        ));
    }

    fn nodes(&mut self) {
        let made = self.made;
        for (i, node) in made.nodes.iter().enumerate() {
            self.node_lists(i, node);
        }
        self.text.line(format!("\nstatic const ArEmbeddedNode nodes[{}] = {{", made.nodes.len().max(1)));
        for (i, node) in made.nodes.iter().enumerate() {
            let lists = [&node.inputs, &node.outputs, &node.intermediates].map(|list| list.len());
            let options = match node.custom_options.len() {
                0 => "NULL, 0".into(),
                bytes => format!("options_{i}, {bytes}"),
            };
            let known = if node.ports.is_empty() { "NULL".into() } else { format!("known_{i}") };
            self.text.line(format!(
                "    /* {} */ AR_EMBEDDED_NODE({}, {}, {}, tensors, {}, ports_{i}, {}, {}, {}, {options}, {known}),",
                node.op,
                node.code,
                node.version,
                node.index,
                made.tensors.len(),
                lists[0],
                lists[1],
                lists[2]
            ));
        }
        if made.nodes.is_empty() {
            self.text.line("    {.ports = NULL},");
        }
        self.text.line("};");
        self.contexts();
        self.steps();
    }

    /// The lists and the state of a node.
    fn node_lists(&mut self, i: usize, node: &Node) {
        let ports = node.inputs.iter().chain(&node.outputs).chain(&node.intermediates);
        let ports = ports.map(ToString::to_string).collect::<Vec<_>>().join(", ");
        self.text.line(format!("static const int32_t ports_{i}[] = {{{ports}}};"));
        if !node.ports.is_empty() {
            let known = node.ports.iter().map(port).collect::<Vec<_>>().join(", ");
            self.text.line(format!("static const ArEmbeddedPort known_{i}[] = {{{known}}};"));
        }
        if !node.state.is_empty() {
            let ty = if node.state_alignment > 4 { ElementType::U64 } else { ElementType::U32 };
            self.list(&format!("state_{i}"), &Constant { ty, bytes: node.state.clone() });
        }
        if !node.custom_options.is_empty() {
            let bytes = node.custom_options.clone();
            self.list(&format!("options_{i}"), &Constant { ty: ElementType::U8, bytes });
        }
        self.spans(&format!("persistent_{i}"), &node.persistent);
        self.spans(&format!("scratch_{i}"), &node.scratch);
    }

    fn spans(&mut self, name: &str, buffers: &[Buffer]) {
        if buffers.is_empty() {
            return;
        }
        let span = |buffer: &Buffer| format!("{{{}, {}}}", place(buffer.place), buffer.bytes);
        let spans = buffers.iter().map(span).collect::<Vec<_>>().join(", ");
        self.text.line(format!("static const ArSpan {name}[] = {{{spans}}};"));
    }

    /// A context for each node with buffers, and one or two for all others.
    fn contexts(&mut self) {
        let is_plain = |node: &Node| !has_buffers(node) && !self.is_caller(node);
        if self.made.nodes.is_empty() || self.made.nodes.iter().any(is_plain) {
            self.text.line("\nstatic const ArEvalV1 no_buffers = AR_EMBEDDED_CONTEXT(NULL, 0, NULL, 0);");
        }
        if self.made.nodes.iter().any(|node| self.is_caller(node) && !has_buffers(node)) {
            self.text.line("static const ArEvalV1 caller = AR_EMBEDDED_CALLER(&model, NULL, 0, NULL, 0);");
        }
        for (i, node) in self.made.nodes.iter().enumerate().filter(|(_, node)| has_buffers(node)) {
            let list = |name: &str, buffers: &[Buffer]| match buffers.len() {
                0 => "NULL, 0".into(),
                count => format!("{name}_{i}, {count}"),
            };
            let lists = [list("persistent", &node.persistent), list("scratch", &node.scratch)].join(", ");
            let kind = if self.is_caller(node) { "CALLER(&model, " } else { "CONTEXT(" };
            self.text.line(format!("static const ArEvalV1 buffers_{i} = AR_EMBEDDED_{kind}{lists});"));
        }
    }

    /// Whether the node may call subgraphs and use variables.
    fn is_caller(&self, node: &Node) -> bool {
        node.is_stateful && self.made.model.is_some()
    }

    fn steps(&mut self) {
        let nodes = &self.made.nodes;
        self.text.line(format!("\nstatic const ArEmbeddedStep steps[{}] = {{", nodes.len().max(1)));
        for (i, node) in nodes.iter().enumerate() {
            let context = match has_buffers(node) {
                true => format!("buffers_{i}"),
                false if self.is_caller(node) => "caller".into(),
                false => "no_buffers".into(),
            };
            let state = if node.state.is_empty() { format!("&nodes[{i}]") } else { format!("state_{i}") };
            self.text.line(format!("    {{{}, &{context}, &nodes[{i}].node, {state}}},", node.kernel));
        }
        if nodes.is_empty() {
            self.text.line("    {NULL, &no_buffers, &nodes[0].node, NULL},");
        }
        self.text.line("};\n");
    }

    fn functions(&mut self) {
        let (name, made) = (self.name, self.made);
        self.text.line(format!("void {name}_init(void) {{"));
        made.variables.iter().for_each(|variable| self.first_value(variable));
        if made.model.as_ref().is_some_and(|model| !model.resources.is_empty()) {
            self.text.line("    ar_embedded_forget(&model);");
        }
        self.text.line("}\n");
        for (what, constant, list) in [("input", "", &made.inputs), ("output", "const ", &made.outputs)] {
            self.ports(&format!("{constant}void *{name}_{what}"), list, "data", "NULL");
            self.ports(&format!("size_t {name}_{what}_bytes"), list, "bytes", "0");
        }
        self.text.line(format!("ArStatus {name}_run(void) {{"));
        if let Some(model) = &made.model {
            let calls_at = model.calls_at;
            self.text.line(format!("    *(uint32_t *)(void *)(variables + {calls_at}) = AR_EMBEDDED_CALLS;"));
        }
        self.text.line(format!("    return ar_embedded_run(steps, {}, {}u);\n}}", made.main, self.states));
    }

    /// Sets a variable to its first value.
    fn first_value(&mut self, Variable { at, first }: &Variable) {
        match first.first() {
            None => {}
            Some(byte) if first.iter().all(|other| other == byte) => {
                self.text.line(format!("    memset(variables + {at}, {byte}, {});", first.len()));
            }
            Some(_) => {
                let constant = Constant { ty: ElementType::U8, bytes: first.clone() };
                self.text.line("    {");
                self.list("first", &constant);
                self.text.line(format!("        memcpy(variables + {at}, first, {});\n    }}", first.len()));
            }
        }
    }

    /// A function that returns a field of the tensor with an index.
    fn ports(&mut self, function: &str, tensors: &[usize], field: &str, none: &str) {
        self.text.line(format!("{function}(size_t index) {{\n    switch (index) {{"));
        for (i, &t) in tensors.iter().enumerate() {
            self.text.line(format!("        case {i}: return tensors[{t}].{field};"));
        }
        self.text.line(format!("        default: return {none};\n    }}\n}}\n"));
    }
}

fn has_buffers(node: &Node) -> bool {
    !node.persistent.is_empty() || !node.scratch.is_empty()
}

fn port(port: &Option<Port>) -> String {
    match port {
        Some(Port { ty, count, at }) => format!("{{{}, {count}, {}}}", *ty as u32, place(*at)),
        None => "{AR_EMBEDDED_LOOK_UP, 0, NULL}".into(),
    }
}

/// A pointer to the bytes. Constants are never written, although the struct's pointer is not const.
fn place(place: Place) -> String {
    match place {
        Place::Nowhere => "NULL".into(),
        Place::Arena(at) => format!("arena + {at}"),
        Place::Variable(at) => format!("variables + {at}"),
        Place::Constant(i) => format!("(void *)constant_{i}"),
    }
}
