//! Finds the parts of a language model: its signatures, and in each of them tokens, positions, mask, caches and logits,
//! by name and shape.

use arenite::model_file::{self, SignatureDef, SubGraph, tensor_type};

use crate::error::{Error, Result};

/// One signature, with tensor indices in its subgraph.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The signature.
    pub key: String,
    pub subgraph: usize,
    /// How many tokens an invocation takes.
    pub count: usize,
    pub tokens: usize,
    pub positions: usize,
    pub mask: Option<Mask>,
    /// Input and output of each cache, in the order of [`Layout::caches`].
    pub caches: Vec<(usize, usize)>,
    pub logits: Option<usize>,
}

impl Entry {
    /// Whether this prefill can be the next one for `count` tokens. Without logits it leaves the last token to decode.
    pub(crate) fn fits(&self, count: usize) -> bool {
        self.count + usize::from(self.logits.is_none()) <= count
    }
}

/// The attention mask, with a row per token and a column per position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask {
    pub tensor: usize,
    pub kind: MaskKind,
    pub columns: usize,
}

/// The values of a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MaskKind {
    /// 0 for visible positions, −∞ for others.
    F32,
    /// As `F32`, in 16 bits.
    F16,
    /// 1 for visible positions, 0 for others.
    Bool,
}

/// A language model's signatures.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub decode: Entry,
    /// The one for the most tokens first.
    pub prefills: Vec<Entry>,
    /// Name and bytes of each cache.
    pub caches: Vec<(String, usize)>,
    /// Positions of the caches.
    pub capacity: usize,
    pub vocabulary: usize,
}

impl Layout {
    /// The layout of a model.
    ///
    /// # Errors
    /// A part is missing or not supported; the message names the signature and the tensor.
    pub(crate) fn of(model: &model_file::Model<'_>) -> Result<Self> {
        let signatures = || model.signatures();
        let keys = || {
            let keys: Vec<String> = signatures().iter().map(|s| format!("'{}'", s.key())).collect();
            if keys.is_empty() { "none".to_owned() } else { keys.join(", ") }
        };
        let decode = signatures().iter().find(|signature| signature.key() == "decode").ok_or_else(|| {
            Error::Model(format!(
                "the model has no signature 'decode', so it is not a language model; its \
                 signatures: {}",
                keys()
            ))
        })?;
        let first = Signature::new(model, decode)?;
        let decode = first.entry(None)?;
        if decode.count != 1 {
            return Err(first.refuse(format!("'tokens' has {} elements; only 1 is supported", decode.count)));
        }
        let Some(logits) = decode.logits else {
            return Err(first.refuse("it has no output 'logits' of FLOAT32 or FLOAT16".into()));
        };
        let vocabulary = first.shape(logits).last().map_or(0, |&last| last.max(0) as usize);
        let names: Vec<String> = first.cache_names().iter().map(|&name| name.to_owned()).collect();
        let capacity = first.capacity(&decode)?;
        let mut prefills = Vec::new();
        for signature in signatures().iter().filter(|signature| signature.key().starts_with("prefill")) {
            let signature = Signature::new(model, signature)?;
            let entry = signature.entry(Some(&names))?;
            signature.same_caches(&entry, &first, &decode)?;
            signature.expect_columns(&entry, capacity)?;
            prefills.push(entry);
        }
        prefills.sort_by_key(|entry| std::cmp::Reverse(entry.count));
        let sizes: Vec<usize> = decode.caches.iter().map(|&(input, _)| first.bytes(input)).collect();
        let caches = names.into_iter().zip(sizes).collect();
        Ok(Layout { decode, prefills, caches, capacity, vocabulary })
    }
}

/// A signature and its subgraph while its parts are found.
struct Signature<'a> {
    model: &'a model_file::Model<'a>,
    key: &'a str,
    subgraph: usize,
    graph: SubGraph<'a>,
    inputs: Vec<(&'a str, usize)>,
    outputs: Vec<(&'a str, usize)>,
}

impl<'a> Signature<'a> {
    fn new(model: &'a model_file::Model<'a>, signature: SignatureDef<'a>) -> Result<Self> {
        let subgraph = signature.subgraph_index() as usize;
        let graph = model
            .subgraph(subgraph)
            .ok_or_else(|| Error::Model(format!("signature '{}' has no subgraph", signature.key())))?;
        let list = |maps: model_file::Tables<'a, model_file::TensorMap<'a>>| {
            maps.iter().map(|map| (map.name().unwrap_or(""), map.tensor_index() as usize)).collect()
        };
        let (inputs, outputs) = (list(signature.inputs()), list(signature.outputs()));
        Ok(Signature { model, key: signature.key(), subgraph, graph, inputs, outputs })
    }

    /// Finds the parts; caches in the order of `names` or else in the order of inputs.
    fn entry(&self, names: Option<&[String]>) -> Result<Entry> {
        let tokens = self.integers("tokens", &["token", "input_ids"])?;
        let positions = self.integers("input_pos", &["pos"])?;
        let count = self.elements(tokens);
        if self.elements(positions) != count || count == 0 {
            let message = format!(
                "'{}' has shape {:?} and '{}' {:?}; both must have one element per token",
                self.name(tokens),
                self.shape(tokens),
                self.name(positions),
                self.shape(positions)
            );
            return Err(self.refuse(message));
        }
        let mask = self.mask(count)?;
        let caches = self.cache_names();
        let known = |t: usize| t == tokens || t == positions || mask.is_some_and(|mask| mask.tensor == t);
        if let Some((name, _)) = self.inputs.iter().find(|&&(name, t)| !known(t) && !caches.contains(&name)) {
            return Err(self.refuse(format!(
                "input '{name}' is neither tokens, positions, mask nor a cache with an output of its name, shape \
                 and type"
            )));
        }
        let caches = self.caches(names)?;
        Ok(Entry {
            key: self.key.to_owned(),
            subgraph: self.subgraph,
            count,
            tokens,
            positions,
            mask,
            caches,
            logits: self.logits(count),
        })
    }

    /// Input and output of each cache, in the order of `names` or else in the order of inputs.
    fn caches(&self, names: Option<&[String]>) -> Result<Vec<(usize, usize)>> {
        let caches = self.cache_names();
        if caches.is_empty() {
            return Err(self.refuse("it has no caches: inputs and outputs with the same names".into()));
        }
        let pair = |name: &str| match (find(&self.inputs, name), find(&self.outputs, name)) {
            (Some(input), Some(output)) if caches.contains(&name) => Ok((input, output)),
            _ => Err(self.refuse(format!("it lacks the cache '{name}', which 'decode' has"))),
        };
        match names {
            Some(names) => names.iter().map(|name| pair(name)).collect(),
            None => caches.iter().map(|name| pair(name)).collect(),
        }
    }

    /// Inputs with an output of the same name, type and shape.
    fn cache_names(&self) -> Vec<&'a str> {
        let same = |a: usize, b: usize| self.ty(a) == self.ty(b) && self.shape(a) == self.shape(b);
        let is_cache = |&(name, t): &(&'a str, usize)| {
            find(&self.outputs, name).is_some_and(|output| same(t, output)).then_some(name)
        };
        self.inputs.iter().filter_map(is_cache).collect()
    }

    /// The INT32 input with this name, or whose name contains one of `parts`.
    fn integers(&self, name: &str, parts: &[&str]) -> Result<usize> {
        let like = || {
            let is_like = |(input, _): &&(&str, usize)| parts.iter().any(|part| input.contains(part));
            self.inputs.iter().find(is_like).map(|&(_, t)| t)
        };
        let Some(found) = find(&self.inputs, name).or_else(like) else {
            let known: Vec<String> = self.inputs.iter().map(|(input, _)| format!("'{input}'")).collect();
            return Err(self.refuse(format!("it has no input '{name}'; its inputs: {}", known.join(", "))));
        };
        if self.ty(found) != tensor_type::INT32 {
            let ty = tensor_type::name(self.ty(found)).unwrap_or("unknown");
            return Err(self.refuse(format!("'{}' is {ty}; only INT32 is supported", self.name(found))));
        }
        Ok(found)
    }

    /// Checks that the mask has a column for each position.
    fn expect_columns(&self, entry: &Entry, capacity: usize) -> Result<()> {
        let Some(mask) = entry.mask.filter(|mask| mask.columns != capacity) else { return Ok(()) };
        Err(self.refuse(format!(
            "mask '{}' has shape {:?}; its rows must have one column for each of the caches' {capacity} positions",
            self.name(mask.tensor),
            self.shape(mask.tensor)
        )))
    }

    fn mask(&self, rows: usize) -> Result<Option<Mask>> {
        let Some(&(name, tensor)) = self.inputs.iter().find(|(name, _)| name.contains("mask")) else {
            return Ok(None);
        };
        let (ty, shape) = (self.ty(tensor), self.shape(tensor));
        let kind = match ty {
            tensor_type::FLOAT32 => MaskKind::F32,
            tensor_type::FLOAT16 => MaskKind::F16,
            tensor_type::BOOL => MaskKind::Bool,
            _ => {
                let ty = tensor_type::name(ty).unwrap_or("unknown");
                return Err(
                    self.refuse(format!("mask '{name}' is {ty}; it must be FLOAT32, FLOAT16 or BOOL"))
                );
            }
        };
        let columns = shape.last().map_or(0, |&last| last.max(0) as usize);
        if columns == 0 || self.elements(tensor) != rows * columns {
            return Err(self.refuse(format!(
                "mask '{name}' has shape {shape:?}; it must have as many rows as tokens, {rows}"
            )));
        }
        Ok(Some(Mask { tensor, kind, columns }))
    }

    /// The output with the logits of the last token or of all.
    fn logits(&self, count: usize) -> Option<usize> {
        let output = find(&self.outputs, "logits")?;
        let vocabulary = self.shape(output).last().map_or(0, |&last| last.max(0) as usize);
        let rows = self.elements(output).checked_div(vocabulary)?;
        let is_float = matches!(self.ty(output), tensor_type::FLOAT32 | tensor_type::FLOAT16);
        (is_float && (rows == 1 || rows == count)).then_some(output)
    }

    /// The positions of the caches: the mask's columns, or the axis of a cache that DYNAMIC_UPDATE_SLICE writes by
    /// parts, or the largest size that all caches share.
    fn capacity(&self, entry: &Entry) -> Result<usize> {
        let shared = || {
            let mut sizes: Vec<i32> = self.shape(entry.caches[0].0);
            sizes.retain(|size| entry.caches.iter().all(|&(t, _)| self.shape(t).contains(size)));
            sizes.into_iter().max()
        };
        let written = || entry.caches.iter().find_map(|&(_, output)| self.written_axis(output));
        let masked = entry.mask.map(|mask| mask.columns as i32);
        let capacity = masked.or_else(written).or_else(shared).unwrap_or(0);
        let holds = |&(t, _): &(usize, usize)| self.shape(t).contains(&capacity);
        match capacity > 0 && entry.caches.iter().all(holds) {
            true => Ok(capacity as usize),
            false => Err(self.refuse(format!(
                "its caches do not have the same number of positions: '{}' has shape {:?}, {capacity} positions \
                 are expected{}",
                self.name(entry.caches[0].0),
                self.shape(entry.caches[0].0),
                entry.mask.map_or_else(String::new, |mask| format!(
                    ", since mask '{}' has shape {:?}",
                    self.name(mask.tensor),
                    self.shape(mask.tensor)
                ))
            ))),
        }
    }

    /// The size of the axis along which DYNAMIC_UPDATE_SLICE writes a part of tensor `output`.
    fn written_axis(&self, output: usize) -> Option<i32> {
        let wanted = model_file::builtin_operator_code("DYNAMIC_UPDATE_SLICE");
        let writes = |operator: &model_file::Operator<'a>| {
            let code = self.model.operator_code(operator).map(|code| code.builtin_code());
            code == wanted && operator.outputs().get(0) == i32::try_from(output).ok()
        };
        let operator = self.graph.operators().iter().find(writes)?;
        let update = usize::try_from(operator.inputs().get(1)?).ok()?;
        let (whole, part) = (self.shape(output), self.shape(update));
        let differs = whole.iter().zip(&part).filter(|(whole, part)| whole != part).map(|(&whole, _)| whole);
        let differs: Vec<i32> = differs.collect();
        if let [one] = differs[..] { Some(one) } else { None }
    }

    fn same_caches(&self, entry: &Entry, other: &Signature<'a>, decode: &Entry) -> Result<()> {
        for (&(a, _), &(b, _)) in entry.caches.iter().zip(&decode.caches) {
            if (self.ty(a), self.shape(a)) != (other.ty(b), other.shape(b)) {
                return Err(self.refuse(format!(
                    "cache '{}' has shape {:?}, in 'decode' {:?}",
                    self.name(a),
                    self.shape(a),
                    other.shape(b)
                )));
            }
        }
        Ok(())
    }

    fn name(&self, t: usize) -> &'a str {
        self.inputs.iter().find(|&&(_, tensor)| tensor == t).map_or("", |&(name, _)| name)
    }

    fn ty(&self, t: usize) -> i32 {
        self.graph.tensors().get(t).map_or(-1, |tensor| tensor.element_type())
    }

    fn shape(&self, t: usize) -> Vec<i32> {
        self.graph.tensors().get(t).map_or_else(Vec::new, |tensor| tensor.shape().iter().collect())
    }

    fn elements(&self, t: usize) -> usize {
        self.graph.tensors().get(t).and_then(|tensor| tensor.element_count()).unwrap_or(0)
    }

    fn bytes(&self, t: usize) -> usize {
        self.graph.tensors().get(t).and_then(|tensor| tensor.byte_size()).unwrap_or(0)
    }

    fn refuse(&self, message: String) -> Error {
        Error::Model(format!("signature '{}': {message}", self.key))
    }
}

fn find(list: &[(&str, usize)], name: &str) -> Option<usize> {
    list.iter().find(|(known, _)| *known == name).map(|&(_, t)| t)
}
