//! From a net to what the device does: each layer becomes tasks, each value gets a place.

use arenite_abi::prelude::*;
use arenite_layers::{Id, Stored};

use crate::crossing::{Form, Input, Output, indices};
use crate::device::{Definition, Kernel, Slots};
use crate::layout::Layout;
use crate::net::{Net, Node};
use crate::ops;
use crate::ops::tiled::Tiles;
use crate::ops::winograd::Winograd;
use crate::precision::Precision;
use crate::storage::Storage;
use crate::store::{Constants, Key};
use crate::wide;
use crate::work_groups::{Extent, Kind};

/// Memory of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// A record, which gets a shared object.
    Record(usize),
    /// A constant.
    Constant(usize),
}

/// Where a value lies.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// In which memory, from its beginning.
    pub buffer: Buffer,
    /// How.
    pub layout: Layout,
    /// In how many bits.
    pub precision: Precision,
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    /// Memory.
    Buffer(Buffer),
    /// A number.
    Number(i32),
}

/// A kernel that is to run.
pub struct Task {
    /// Which.
    pub kernel: Kernel,
    /// In the order of its parameters.
    pub arguments: Vec<Argument>,
    /// Work-items.
    pub grid: Extent,
    /// For the choice of work-groups.
    pub kind: Kind,
}

/// What the device does.
pub enum Item {
    /// A kernel runs.
    Task(Task),
    /// A record becomes zeros.
    Clear(usize),
}

/// Memory that is needed for some time.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Words.
    pub words: usize,
    /// The first and the last item that uses it; those of items count from 1, 0 is before all.
    pub life: (usize, usize),
}

/// What was built.
pub struct Built {
    /// In order.
    pub items: Vec<Item>,
    /// Activations.
    pub records: Vec<Record>,
    /// Those of the partition that are read.
    pub inputs: Vec<Input>,
    /// All of the partition's.
    pub outputs: Vec<Output>,
    /// How floats are stored.
    pub precision: Precision,
}

/// How a net is built.
#[derive(Clone, Copy)]
pub struct With {
    /// What of an epilogue a kernel can do.
    pub slots: Slots,
    /// Which products go through local memory.
    pub tiles: Tiles,
    /// There is a kernel of products of matrices that are made of whole slices.
    pub products: bool,
    /// Which convolutions are Winograd's.
    pub winograd: Winograd,
    /// How floats are stored.
    pub precision: Precision,
    /// What kernels read slices from.
    pub storage: Storage,
}

/// Tasks and places while a net becomes them.
pub struct Builder<'n, 'a> {
    /// The net.
    pub net: &'n Net<'a>,
    constants: &'n mut dyn Constants,
    /// How.
    pub with: With,
    /// Values that have 32 bits.
    wide: Vec<bool>,
    /// How the layer that is being built stores floats.
    precision: Precision,
    places: Vec<Option<Place>>,
    built: Built,
}

/// Builds all of a net, in a model with these `inputs`.
pub fn build(net: &Net<'_>, inputs: &[i32], constants: &mut dyn Constants, with: With) -> Result<Built> {
    let wide = match with.precision {
        Precision::F16 => wide::values(net, inputs),
        Precision::F32 => vec![false; net.values.len()],
    };
    let (items, records, inputs, outputs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let built = Built { items, records, inputs, outputs, precision: with.precision };
    let (places, precision) = (vec![None; net.values.len()], with.precision);
    let mut builder = Builder { net, constants, with, wide, precision, places, built };
    for (i, &id) in net.inputs.iter().enumerate() {
        if net.bytes_of(id).is_none() && net.nodes.iter().any(|n| n.inputs.contains(&id)) {
            builder.input(i, id)?;
        }
    }
    for node in &net.nodes {
        builder.precision = node.outputs.first().map_or(precision, |&id| builder.precision_of(id));
        ops::build(node, &mut builder)?;
    }
    builder.precision = precision;
    let output = |&id: &Id| -> Result<Output> {
        let Place { buffer, layout, .. } = builder.place(id)?;
        let grid = net.values[id].grid;
        Ok(Output { buffer, layout, grid, stays: grid.is_none() })
    };
    let outputs = net.outputs.iter().map(output).collect::<Result<Vec<_>>>()?;
    let mut built = builder.built;
    let end = built.items.len() + 1;
    for output in &outputs {
        if let Buffer::Record(record) = output.buffer {
            built.records[record].life.1 = end;
        }
    }
    Ok(Built { outputs, ..built })
}

impl<'a> Builder<'_, 'a> {
    /// A record for input `position` of the partition, which is there before all items.
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
            self.built.records[record].life = (0, 0);
            let Place { layout, precision, .. } = place;
            self.built.inputs.push(Input { position, record, layout, precision, form });
        }
        self.places[id] = Some(place);
        Ok(())
    }

    /// How a value's floats are stored.
    fn precision_of(&self, id: Id) -> Precision {
        if self.wide[id] { Precision::F32 } else { self.with.precision }
    }

    /// A new record.
    pub fn record(&mut self, layout: Layout) -> Result<Place> {
        self.record_in(self.precision, layout)
    }

    /// A new record whose elements are stored so.
    pub fn record_in(&mut self, precision: Precision, layout: Layout) -> Result<Place> {
        layout.expect_countable()?;
        let item = self.built.items.len() + 1;
        self.built.records.push(Record { words: precision.words(layout.floats()), life: (item, item) });
        Ok(Place { buffer: Buffer::Record(self.built.records.len() - 1), layout, precision })
    }

    /// Where the value lies, stored as the layer stores its results; constants are copied to the device.
    pub fn place(&mut self, id: Id) -> Result<Place> {
        let place = self.place_in_any(id)?;
        ensure!(place.precision == self.precision, "'{}' is wide", self.net.values[id].name);
        Ok(place)
    }

    /// The same, stored in any precision.
    fn place_in_any(&mut self, id: Id) -> Result<Place> {
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
        let place = Place { buffer, layout, precision: self.precision };
        self.places[id] = Some(place);
        Ok(place)
    }

    /// Where indices of an axis lie, that were checked or will be.
    pub fn indices(&mut self, id: Id, axis: usize) -> Result<Buffer> {
        let value = &self.net.values[id];
        if let Some(bytes) = self.net.bytes_of(id) {
            let words = indices(value.ty, bytes, axis)?;
            return self.constant(None, || words);
        }
        let place = self.places[id];
        let place = place.ok_or_else(|| invalid!("'{}' is read before it is there", value.name))?;
        for input in &mut self.built.inputs {
            if let (true, Form::Indices(below)) =
                (place.buffer == Buffer::Record(input.record), &mut input.form)
            {
                *below = axis.min(*below);
            }
        }
        Ok(place.buffer)
    }

    /// Words of a constant in a form, unless it is there.
    pub fn constant(&mut self, key: Option<Key>, words: impl FnOnce() -> Vec<f32>) -> Result<Buffer> {
        self.constants.constant(key, Box::new(words)).map(Buffer::Constant)
    }

    /// The same of floats, which are stored as all are.
    pub fn stored(&mut self, key: Option<Key>, floats: impl FnOnce() -> Vec<f32>) -> Result<Buffer> {
        self.stored_in(self.precision, key, floats)
    }

    /// The same in a precision of its own.
    fn stored_in(
        &mut self,
        precision: Precision,
        key: Option<Key>,
        floats: impl FnOnce() -> Vec<f32>,
    ) -> Result<Buffer> {
        let is_wide = precision != self.with.precision;
        let key = key.map(|(tensor, form)| (tensor, if is_wide { format!("wide {form}") } else { form }));
        self.constant(key, || {
            let (floats, mut room) = (floats(), Vec::new());
            precision.store(&floats, &mut room).to_vec()
        })
    }

    /// Whole numbers for a kernel, as they are.
    pub fn table(&mut self, numbers: &[i32]) -> Result<Buffer> {
        // Bits of whole numbers as those of floats: nothing computes with them in between.
        self.constant(None, || numbers.iter().map(|&n| f32::from_bits(n as u32)).collect())
    }

    /// Weights of a node, packed in a form and stored so; the constant that they come from is the first of those that it packs.
    pub fn weights(
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

    /// Where the value lies if its rows are cut so; it is moved if it must be.
    pub fn view(&mut self, id: Id, layout: Layout) -> Result<Place> {
        let place = self.place(id)?;
        self.cut(id, place, layout)
    }

    /// The same for a kernel whose `INPUT` it is, and what that is compiled with: its floats may be wide.
    pub fn wide_view(&mut self, id: Id, layout: Layout) -> Result<(Place, Vec<Definition>)> {
        let place = self.place_in_any(id)?;
        let place = self.cut(id, place, layout)?;
        let is_wide = place.precision != self.precision;
        Ok((place, is_wide.then_some(Definition::Flag("WIDE")).into_iter().collect()))
    }

    fn cut(&mut self, id: Id, place: Place, layout: Layout) -> Result<Place> {
        if place.layout.is_also(&layout) {
            return Ok(Place { layout, ..place });
        }
        ensure!(
            place.layout.len() == layout.len(),
            "'{}' has {} elements, read are {}",
            self.net.values[id].name,
            place.layout.len(),
            layout.len()
        );
        let own = std::mem::replace(&mut self.precision, place.precision);
        let moved = self.record(layout)?;
        ops::moves::repack(self, place, moved)?;
        self.precision = own;
        Ok(moved)
    }

    /// A place for a value that lies so.
    pub fn output(&mut self, id: Id, layout: Layout) -> Result<Place> {
        let place = self.record(layout)?;
        self.places[id] = Some(place);
        Ok(place)
    }

    /// Gives a value the place of another.
    pub fn rename(&mut self, id: Id, place: Place) {
        self.places[id] = Some(place);
    }

    /// Makes a record zeros, if its rows are filled up and nobody else writes that.
    pub fn clear(&mut self, place: Place) {
        if let (Buffer::Record(record), true) = (place.buffer, place.layout.is_padded()) {
            self.built.items.push(Item::Clear(record));
            self.touch(place.buffer);
        }
    }

    /// A kernel that runs next, on floats as the layer's are stored.
    pub fn push(&mut self, task: Task) {
        self.push_in(self.precision, task);
    }

    /// The same, on floats that are stored so.
    pub fn push_in(&mut self, precision: Precision, mut task: Task) {
        let flags =
            [("HALVES", precision == Precision::F16), ("IMAGES", self.with.storage == Storage::Image)];
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

    /// The last item uses it.
    fn touch(&mut self, buffer: Buffer) {
        let item = self.built.items.len();
        if let Buffer::Record(record) = buffer {
            self.built.records[record].life.1 = item;
        }
    }
}

/// Whole numbers as arguments.
pub fn numbers(list: &[usize]) -> Result<Vec<Argument>> {
    let number = |&n: &usize| match i32::try_from(n) {
        Ok(n) => Ok(Argument::Number(n)),
        Err(_) => Err(unsupported!("a kernel cannot count to {n}")),
    };
    list.iter().map(number).collect()
}

/// A grid of so many work-items.
pub fn grid(sizes: [usize; 3]) -> Result<Extent> {
    let mut grid = [1; 3];
    for (to, size) in grid.iter_mut().zip(sizes) {
        *to = u32::try_from(size).map_err(|_| unsupported!("a grid of {size} is too large"))?;
    }
    Ok(grid)
}
