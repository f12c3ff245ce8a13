//! The delegate's nets, which contain common layers and the delegate's own.

use arenite_layers::{Id, Limits, Value};

use crate::ops::conv_3d::Conv3d;
use crate::ops::embedding::Embedding;
use crate::ops::hybrid::Hybrid;
use crate::ops::join::Join;
use crate::ops::quantized::Quantized;
use crate::ops::recurrent::Recurrent;
use crate::ops::reduce_prod::ReduceProd;
use crate::ops::rfft::Rfft;
use crate::ops::scatter_nd::ScatterNd;
use crate::ops::typed::TypedFunction;
use crate::ops::variable::VariableAccess;
use crate::reach;
use crate::step::Ports;
use crate::steps::attention_layer::Attention;
use crate::steps::scan::{Alias, Feed, List, State};

/// A partition as a graph of layers.
pub(crate) type Net<'a> = arenite_layers::Net<'a, CpuLayer<'a>>;
/// A node of a net.
pub(crate) type Node<'a> = arenite_layers::Node<Layer<'a>>;
/// The computation of a node.
pub(crate) type Layer<'a> = arenite_layers::Layer<'a, CpuLayer<'a>>;

/// The delegate's own layers.
pub(crate) enum CpuLayer<'a> {
    /// On quantized bytes.
    Quantized(Quantized<'a>),
    /// On `f32`, with weights of bytes.
    Hybrid(Hybrid<'a>),
    /// A convolution over depth, height and width.
    Conv3d(Conv3d<'a>),
    /// A function of elements of any type.
    Typed(TypedFunction),
    /// A Fourier transform.
    Rfft(Rfft),
    /// Rows of a table of few bits, as `f32`.
    Embedding(Embedding<'a>),
    /// An access to a variable, until the program takes it out of the net.
    Variable(VariableAccess),
    /// With a state.
    Recurrent(Recurrent<'a>),
    /// Attention with a mask.
    Attention(Attention),
    /// Consecutive layers that are computed a few rows at a time.
    Cascade(Vec<Node<'a>>),
    /// Pieces of several values.
    Join(Join),
    /// Products of `f32` along axes.
    ReduceProd(ReduceProd),
    /// Rows added at places that indices name.
    ScatterNd(ScatterNd),
    /// A loop that counts.
    Scan(Box<Scan<'a>>),
}

impl CpuLayer<'_> {
    /// Whether its steps find their pixels in [`Planes`](reach::planes_u8::Planes).
    pub(crate) fn reads_planes(&self) -> bool {
        match self {
            CpuLayer::Quantized(layer) => matches!(layer, Quantized::Depthwise(_)),
            CpuLayer::Hybrid(layer) => layer.is_depthwise(),
            CpuLayer::Conv3d(_)
            | CpuLayer::Typed(_)
            | CpuLayer::Rfft(_)
            | CpuLayer::Embedding(_)
            | CpuLayer::Variable(_)
            | CpuLayer::Recurrent(_)
            | CpuLayer::Attention(_)
            | CpuLayer::Cascade(_)
            | CpuLayer::Join(_)
            | CpuLayer::ReduceProd(_)
            | CpuLayer::ScatterNd(_)
            | CpuLayer::Scan(_) => false,
        }
    }
}

/// The limits of the steps.
pub(crate) const LIMITS: Limits = Limits {
    epilogue: reach::epilogue::MAX_OPS,
    conv_taps: reach::pointers::MAX_TAPS,
    conv_rows: reach::pointers::MAX_TAPS,
    depthwise_taps: reach::slide::MAX_TAPS,
    pool_taps: reach::slide::MAX_TAPS,
    transpose_conv_taps: reach::phases::MAX_TAPS,
};

/// A counted loop.
pub(crate) struct Scan<'a> {
    /// How often the body runs.
    pub rounds: usize,
    /// Of the body, and others that rewriting adds; the net around takes them.
    pub values: Vec<Value<'a>>,
    /// The nodes of the body.
    pub nodes: Vec<Node<'a>>,
    /// Values that are parts of other values.
    pub aliases: Vec<Alias>,
    /// Rows of tensors outside, and whole ones.
    pub feeds: Vec<Feed>,
    /// Values that one round passes to the next.
    pub states: Vec<State>,
    /// Tensors of which rounds write rows.
    pub lists: Vec<List>,
    /// Outputs that are inputs.
    pub kept: Vec<[Id; 2]>,
    /// Outputs that are known numbers.
    pub counters: Vec<(Id, i32)>,
}

impl Scan<'_> {
    /// The values of the surrounding net that the loop reads.
    pub(crate) fn inputs(&self) -> Vec<Id> {
        let feeds = self.feeds.iter().map(|feed| feed.from);
        let states = self.states.iter().map(|state| state.initial);
        let lists = self.lists.iter().map(|list| list.initial);
        let kept = self.kept.iter().map(|[from, _]| *from);
        let mut inputs: Vec<Id> = feeds.chain(states).chain(lists).chain(kept).collect();
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    /// States whose source a layer writes for no other state.
    pub(crate) fn direct(&self) -> Vec<bool> {
        let is_first = |i: usize, id: Id| self.states[..i].iter().all(|state| state.source != id);
        let is_written = |id: Id| self.nodes.iter().any(|node| node.outputs.contains(&id));
        let states = self.states.iter().enumerate();
        states.map(|(i, state)| is_first(i, state.source) && is_written(state.source)).collect()
    }

    /// The values that layers write to places that stay.
    pub(crate) fn written(&self) -> impl Iterator<Item = Id> {
        let states = self.states.iter().zip(self.direct());
        let moving: Vec<Id> = states.filter(|(_, direct)| *direct).map(|(state, _)| state.source).collect();
        let outputs = self.nodes.iter().flat_map(|node| &node.outputs).copied();
        outputs.filter(move |id| !moving.contains(id))
    }
}

/// The values that the step of a node writes: its outputs, and for a loop also the outputs of its inner nodes.
pub(crate) fn written(node: &Node<'_>) -> Vec<Id> {
    let mut written = node.outputs.clone();
    if let Layer::Engine(CpuLayer::Scan(scan)) = &node.layer {
        written.extend(scan.written());
    }
    written
}

/// The values that the step of a node may reach.
pub(crate) fn ports(node: &Node<'_>) -> Ports {
    Ports::new(node.inputs.clone(), written(node))
}

/// The constants that the steps of a net pack, in the order of its nodes, including the constants of loops.
pub(crate) fn packed_constants(net: &Net<'_>) -> Vec<Id> {
    let mut packed = Vec::new();
    collect_packed(&net.nodes, &mut packed);
    packed
}

/// Appends the constants that these nodes pack, and those inside of loops.
fn collect_packed(nodes: &[Node<'_>], packed: &mut Vec<Id>) {
    for node in nodes {
        packed.extend(&node.packed);
        if let Layer::Engine(CpuLayer::Scan(scan)) = &node.layer {
            collect_packed(&scan.nodes, packed);
        }
    }
}
