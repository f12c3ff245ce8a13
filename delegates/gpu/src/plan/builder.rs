//! Builds the tasks of a net and assigns a place to each value.

use arenite_abi::prelude::*;
use arenite_base::Stored;
use arenite_layers::Id;

use crate::device::{Definition, Slots};
use crate::net::{Net, Node};
use crate::plan::crossing::{Form, Input, Output, indices};
use crate::plan::task::{Argument, Buffer, Item, Lifetime, Record, StoredValue, Task};
use crate::plan::tiles::Tiles;
use crate::plan::winograd::Winograd;
use crate::store::constants::{Constants, Key};
use crate::store::layout::Layout;
use crate::store::precision::Precision;
use crate::store::storage::Storage;
use crate::store::wide;

/// The result of a build.
pub(crate) struct TaskList {
    /// The tasks in execution order.
    pub items: Vec<Item>,
    /// The records of activations.
    pub records: Vec<Record>,
    /// The partition's inputs that are read.
    pub inputs: Vec<Input>,
    /// The partition's outputs.
    pub outputs: Vec<Output>,
    /// The precision of stored floats.
    pub precision: Precision,
}

/// Options of a build.
#[derive(Clone, Copy)]
pub(crate) struct BuildOptions {
    /// The capacity of a kernel's epilogue.
    pub slots: Slots,
    /// Which products go through local memory.
    pub tiles: Tiles,
    /// Whether there is a kernel for products of matrices with whole slices.
    pub products: bool,
    /// Which convolutions use Winograd's algorithm.
    pub winograd: Winograd,
    /// The precision of stored floats.
    pub precision: Precision,
    /// The storage that kernels read slices from.
    pub storage: Storage,
}

/// A build in progress.
pub(crate) struct Builder<'n, 'a> {
    /// The net that is built.
    pub net: &'n Net<'a>,
    constants: &'n mut dyn Constants,
    /// Its options.
    pub options: BuildOptions,
    /// Whether each value is wide.
    wide: Vec<bool>,
    /// The precision of the current layer.
    pub precision: Precision,
    places: Vec<Option<StoredValue>>,
    built: TaskList,
}

impl<'n, 'a> Builder<'n, 'a> {
    /// A builder of `net`, in a model with these `inputs`; the partition's inputs have records.
    pub(crate) fn new(
        net: &'n Net<'a>,
        inputs: &[i32],
        constants: &'n mut dyn Constants,
        options: BuildOptions,
    ) -> Result<Self> {
        let precision = options.precision;
        let wide = match precision {
            Precision::F16 => wide::values(net, inputs),
            Precision::F32 => vec![false; net.values.len()],
        };
        let (items, records, inputs, outputs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let built = TaskList { items, records, inputs, outputs, precision };
        let places = vec![None; net.values.len()];
        let mut builder = Builder { net, constants, options, wide, precision, places, built };
        for (i, &id) in net.inputs.iter().enumerate() {
            if net.bytes_of(id).is_none() && net.nodes.iter().any(|n| n.inputs.contains(&id)) {
                builder.input(i, id)?;
            }
        }
        Ok(builder)
    }

    /// Stores floats as the results of `node` are stored, until the next call.
    pub(crate) fn begin(&mut self, node: &Node<'a>) {
        self.precision = match node.outputs.first() {
            Some(&id) => self.precision_of(id),
            None => self.options.precision,
        };
    }

    /// Finishes the list after all nodes were built.
    pub(crate) fn finish(mut self) -> Result<TaskList> {
        self.precision = self.options.precision;
        let net = self.net;
        let output = |&id: &Id| -> Result<Output> {
            let StoredValue { buffer, layout, .. } = self.place(id)?;
            let grid = net.values[id].grid;
            Ok(Output { buffer, layout, grid, stays: grid.is_none() })
        };
        let outputs = net.outputs.iter().map(output).collect::<Result<Vec<_>>>()?;
        let mut built = self.built;
        let end = built.items.len() + 1;
        for output in &outputs {
            if let Buffer::Record(record) = output.buffer {
                built.records[record].life.last = end;
            }
        }
        Ok(TaskList { outputs, ..built })
    }

    /// Adds a record for input `position` of the partition, which is live from the start.
    fn input(&mut self, position: usize, id: Id) -> Result<()> {
        let value = &self.net.values[id];
        let (place, form) = match (value.ty, value.grid) {
            (F32, None) => (self.record_in(self.precision_of(id), Layout::of(&value.shape))?, Form::Floats),
            (F32, Some(grid)) => (self.record(Layout::of(&value.shape))?, Form::Bytes(grid)),
            _ => {
                let numbers = Layout { rows: 1, channels: value.len() };
                (self.record_in(Precision::F32, numbers)?, Form::Indices(usize::MAX))
            }
        };
        if let Buffer::Record(record) = place.buffer {
            self.built.records[record].life = Lifetime { first: 0, last: 0 };
            let StoredValue { layout, precision, .. } = place;
            let ty = value.grid.map_or(value.ty, |grid| grid.ty);
            self.built.inputs.push(Input { position, record, layout, precision, ty, form });
        }
        self.places[id] = Some(place);
        Ok(())
    }

    /// The precision of a value.
    fn precision_of(&self, id: Id) -> Precision {
        if self.wide[id] { Precision::F32 } else { self.options.precision }
    }

    /// Adds a record in the precision of the current layer.
    pub(crate) fn record(&mut self, layout: Layout) -> Result<StoredValue> {
        self.record_in(self.precision, layout)
    }

    /// Adds a record in a precision.
    pub(crate) fn record_in(&mut self, precision: Precision, layout: Layout) -> Result<StoredValue> {
        layout.expect_countable()?;
        let item = self.built.items.len() + 1;
        self.built.records.push(Record {
            words: precision.words(layout.floats()),
            life: Lifetime { first: item, last: item },
        });
        Ok(StoredValue { buffer: Buffer::Record(self.built.records.len() - 1), layout, precision })
    }

    /// The place of a value in the precision of the current layer. Constants are copied to the device.
    pub(crate) fn place(&mut self, id: Id) -> Result<StoredValue> {
        let place = self.place_in_any(id)?;
        ensure!(place.precision == self.precision, "'{}' is wide", self.net.values[id].name);
        Ok(place)
    }

    /// The place of a value in any precision.
    pub(crate) fn place_in_any(&mut self, id: Id) -> Result<StoredValue> {
        if let Some(place) = self.places[id]
            && (matches!(place.buffer, Buffer::Record(_)) || place.precision == self.precision)
        {
            return Ok(place);
        }
        let value = &self.net.values[id];
        let bytes = self.net.bytes_of(id);
        let bytes = bytes.ok_or_else(|| invalid!("'{}' is read before it is computed", value.name))?;
        let floats: Vec<f32> = match value.ty {
            F32 => bytemuck::pod_collect_to_vec(bytes),
            ty => return Err(unsupported!("constant '{}' is {ty}; only FLOAT32 is supported", value.name)),
        };
        let layout = Layout::of(&value.shape);
        let buffer = self.stored(value.tensor.map(|tensor| (tensor, "rows".to_owned())), || {
            let mut spread = Vec::new();
            layout.spread(&floats, &mut spread);
            spread
        })?;
        let place = StoredValue { buffer, layout, precision: self.precision };
        self.places[id] = Some(place);
        Ok(place)
    }

    /// The buffer of indices of an axis, which are checked here if constant, else when the input is written.
    pub(crate) fn indices(&mut self, id: Id, axis: usize) -> Result<Buffer> {
        let value = &self.net.values[id];
        if let Some(bytes) = self.net.bytes_of(id) {
            let words = indices(value.ty, bytes, axis)?;
            return self.constant(None, || words);
        }
        let place = self.places[id];
        let place = place.ok_or_else(|| invalid!("'{}' is read before it is computed", value.name))?;
        for input in &mut self.built.inputs {
            if let (true, Form::Indices(below)) =
                (place.buffer == Buffer::Record(input.record), &mut input.form)
            {
                *below = axis.min(*below);
            }
        }
        Ok(place.buffer)
    }

    /// Adds a constant of words, unless its key is known.
    pub(crate) fn constant(&mut self, key: Option<Key>, words: impl FnOnce() -> Vec<f32>) -> Result<Buffer> {
        self.constants.constant(key, Box::new(words)).map(Buffer::Constant)
    }

    /// Adds a constant of floats in the precision of the current layer.
    pub(crate) fn stored(&mut self, key: Option<Key>, floats: impl FnOnce() -> Vec<f32>) -> Result<Buffer> {
        self.stored_in(self.precision, key, floats)
    }

    /// Adds a constant of floats in a precision.
    fn stored_in(
        &mut self,
        precision: Precision,
        key: Option<Key>,
        floats: impl FnOnce() -> Vec<f32>,
    ) -> Result<Buffer> {
        let is_wide = precision != self.options.precision;
        let key = key.map(|(tensor, form)| (tensor, if is_wide { format!("wide {form}") } else { form }));
        self.constant(key, || {
            let (floats, mut room) = (floats(), Vec::new());
            precision.store(&floats, &mut room).to_vec()
        })
    }

    /// Adds a constant of whole numbers.
    pub(crate) fn table(&mut self, numbers: &[i32]) -> Result<Buffer> {
        // The bits pass through as floats; no code computes with them on the way.
        self.constant(None, || numbers.iter().map(|&n| f32::from_bits(n as u32)).collect())
    }

    /// One number per channel, zeros without a bias.
    pub(crate) fn bias(&mut self, bias: Option<&[f32]>, to: Layout) -> Result<Buffer> {
        self.constant(None, || {
            let mut floats = bias.unwrap_or_default().to_vec();
            floats.resize(to.pitch(), 0.0);
            floats
        })
    }

    /// Packs and adds the weights of a node. Their source is the node's first packed constant.
    pub(crate) fn weights(
        &mut self,
        precision: Precision,
        node: &Node<'a>,
        form: &str,
        weights: &Stored<'a>,
        pack: impl FnOnce(&[f32]) -> Vec<f32>,
    ) -> Result<Buffer> {
        let tensor = node.packed.first().and_then(|&id| self.net.values[id].tensor);
        self.stored_in(precision, tensor.map(|tensor| (tensor, form.to_owned())), || {
            let mut room = Vec::new();
            let widen = |from: &[half::f16], to: &mut [f32]| {
                from.iter().zip(to).for_each(|(from, to)| *to = from.to_f32());
            };
            pack(weights.all(widen, &mut room))
        })
    }

    /// The layout of a value whose rows are not cut.
    pub(crate) fn layout_of(&self, id: Id) -> Layout {
        Layout::of(&self.net.values[id].shape)
    }

    /// Adds a record for a value with this layout.
    pub(crate) fn output(&mut self, id: Id, layout: Layout) -> Result<StoredValue> {
        let place = self.record(layout)?;
        self.places[id] = Some(place);
        Ok(place)
    }

    /// Assigns a place to a value.
    pub(crate) fn rename(&mut self, id: Id, place: StoredValue) {
        self.places[id] = Some(place);
    }

    /// Zeroes a padded record whose padding no kernel writes.
    pub(crate) fn clear(&mut self, place: StoredValue) {
        if let (Buffer::Record(record), true) = (place.buffer, place.layout.is_padded()) {
            self.built.items.push(Item::Clear(record));
            self.touch(place.buffer);
        }
    }

    /// Adds a task in the precision of the current layer.
    pub(crate) fn push(&mut self, task: Task) {
        self.push_in(self.precision, task);
    }

    /// Adds a task in a precision.
    pub(crate) fn push_in(&mut self, precision: Precision, mut task: Task) {
        let flags =
            [("HALVES", precision == Precision::F16), ("IMAGES", self.options.storage == Storage::Image)];
        let set = flags.into_iter().filter(|(_, is_set)| *is_set);
        task.kernel.definitions.extend(set.map(|(name, _)| Definition::Flag(name)));
        let buffers: Vec<Buffer> = task
            .arguments
            .iter()
            .filter_map(|argument| match *argument {
                Argument::Buffer(buffer) => Some(buffer),
                Argument::Number(_) => None,
            })
            .collect();
        self.built.items.push(Item::Task(task));
        buffers.into_iter().for_each(|buffer| self.touch(buffer));
    }

    /// Extends a record's life to the last item.
    fn touch(&mut self, buffer: Buffer) {
        let item = self.built.items.len();
        if let Buffer::Record(record) = buffer {
            self.built.records[record].life.last = item;
        }
    }
}
