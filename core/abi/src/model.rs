//! What an op may do beyond its node: run the model's other subgraphs, keep values that outlive an invocation.

use core::ffi::c_void;
use core::marker::PhantomData;

use crate::graph::GraphView;
use crate::host::check;
use crate::raw::{
    ArBytes, ArGraphV1, ArResourcesV1, ArSizesV1, ArSubgraphsV1, ArTensorV1, INTERFACE_RESOURCES,
    INTERFACE_SIZES, INTERFACE_SUBGRAPHS, TENSOR_DYNAMIC,
};
use crate::tensor::{Element, TensorView};
use crate::{Result, invalid, unsupported};

/// The model around a node: its *subgraphs*, and its *resources*, values that outlive an invocation and that all
/// subgraphs of an interpreter share.
///
/// A subgraph has one set of tensors. It is not called while it runs, so recursion is refused.
pub struct ModelContext<'a> {
    subgraphs: &'static ArSubgraphsV1,
    resources: &'static ArResourcesV1,
    sizes: Option<&'static ArSizesV1>,
    context: *mut c_void,
    of: PhantomData<&'a ()>,
}

/// An output of a subgraph.
pub struct SubgraphOutput<'a> {
    /// Type and shape; after [`ModelContext::invoke`] its data.
    pub tensor: TensorView<'a>,
    /// Only a run tells the shape.
    pub dynamic: bool,
}

/// How a host is asked for an interface.
pub(crate) type Query = unsafe extern "C" fn(*mut c_void, u64) -> *const c_void;

impl<'a> ModelContext<'a> {
    /// # Safety
    /// `query` answers `context` with null, or with the struct of that id, which lives as long as the process. The
    /// context is that of a call in progress for `'a`, in which this is the only `ModelContext`.
    pub(crate) unsafe fn new(query: Query, context: *mut c_void) -> Result<Self> {
        // SAFETY: the caller's promise.
        let (subgraphs, resources, sizes) = unsafe {
            (
                query(context, INTERFACE_SUBGRAPHS).cast::<ArSubgraphsV1>().as_ref(),
                query(context, INTERFACE_RESOURCES).cast::<ArResourcesV1>().as_ref(),
                query(context, INTERFACE_SIZES).cast::<ArSizesV1>().as_ref(),
            )
        };
        let (Some(subgraphs), Some(resources)) = (subgraphs, resources) else {
            return Err(unsupported!("this host runs no subgraphs and keeps no resources"));
        };
        Ok(ModelContext { subgraphs, resources, sizes, context, of: PhantomData })
    }

    /// The nodes of a subgraph, and its tensors with the shapes they have now.
    ///
    /// # Errors
    /// There is no such subgraph, or it is running.
    pub fn subgraph(&self, subgraph: i32) -> Result<GraphView<'_>> {
        let mut graph: *const ArGraphV1 = core::ptr::null();
        // SAFETY: the result is writable; the graph lives as long as the call, and does not change under `&self`.
        unsafe {
            check((self.subgraphs.describe)(self.context, index(subgraph)?, &mut graph))?;
            let graph =
                graph.as_ref().ok_or_else(|| unsupported!("the host shows no subgraph {subgraph}"))?;
            Ok(GraphView::from_raw(graph))
        }
    }

    /// How many inputs and outputs a subgraph has; some hosts tell that with less effort than [`subgraph`](Self::subgraph).
    ///
    /// # Errors
    /// As `subgraph`.
    pub fn ports(&self, subgraph: i32) -> Result<(usize, usize)> {
        let Some(sizes) = self.sizes else {
            let graph = self.subgraph(subgraph)?;
            return Ok((graph.inputs().len(), graph.outputs().len()));
        };
        let (mut inputs, mut outputs) = (0, 0);
        // SAFETY: both results are writable.
        check(unsafe { (sizes.ports)(self.context, index(subgraph)?, &mut inputs, &mut outputs) })?;
        Ok((inputs as usize, outputs as usize))
    }

    /// Gives an input of a subgraph the shape of `value` and, in `eval`, its data, which are copied. The types must agree.
    pub fn set_input(&mut self, subgraph: i32, input: usize, value: &TensorView<'_>) -> Result<()> {
        // SAFETY: the tensor is readable for the call.
        check(unsafe {
            (self.subgraphs.set_input)(self.context, index(subgraph)?, input as u32, value.as_raw())
        })
    }

    /// In `eval`: input `i` of subgraph `to` gets shape and value of output `i` of `from`, which ran before; `from` may be
    /// `to`.
    pub fn forward(&mut self, from: i32, to: i32) -> Result<()> {
        // SAFETY: plain values.
        check(unsafe { (self.subgraphs.forward)(self.context, index(from)?, index(to)?) })
    }

    /// Makes a subgraph ready for the shapes that its inputs have now.
    pub fn prepare(&mut self, subgraph: i32) -> Result<()> {
        // SAFETY: plain values.
        check(unsafe { (self.subgraphs.prepare)(self.context, index(subgraph)?) })
    }

    /// In `eval`: runs a subgraph on the inputs that it has now.
    pub fn invoke(&mut self, subgraph: i32) -> Result<()> {
        // SAFETY: plain values.
        check(unsafe { (self.subgraphs.invoke)(self.context, index(subgraph)?) })
    }

    /// An output of a subgraph that was prepared or run.
    pub fn output(&self, subgraph: i32, output: usize) -> Result<SubgraphOutput<'_>> {
        let mut value = ArTensorV1::NONE;
        // SAFETY: the result is writable; what it points to does not change under `&self`.
        unsafe {
            check((self.subgraphs.output)(self.context, index(subgraph)?, output as u32, &mut value))?;
            let dynamic = value.flags & TENSOR_DYNAMIC != 0;
            Ok(SubgraphOutput { tensor: TensorView::from_raw(&value)?, dynamic })
        }
    }

    /// The handle of the resource with this name, which may be any bytes; made, without a value, if there is none.
    pub fn open_resource(&mut self, name: &[u8]) -> Result<i32> {
        let mut handle = 0;
        // SAFETY: the name is readable for the call, the result is writable.
        check(unsafe { (self.resources.open)(self.context, ArBytes::borrowed(name), &mut handle) })?;
        Ok(handle)
    }

    /// The value of a resource; `None` before it is assigned.
    ///
    /// # Errors
    /// The handle is not one that [`open_resource`](Self::open_resource) gave.
    pub fn resource(&self, handle: i32) -> Result<Option<TensorView<'_>>> {
        let mut value = ArTensorV1::NONE;
        // SAFETY: the result is writable; what it points to does not change under `&self`.
        unsafe {
            check((self.resources.value)(self.context, handle, &mut value))?;
            if value.dims.is_null() {
                return Ok(None);
            }
            TensorView::from_raw(&value).map(Some)
        }
    }

    /// In `prepare`: says that `eval` may assign a value of this type, rank and size. Hosts that take no memory while a model runs refuse
    /// to assign what was not announced; others need not be told.
    pub fn reserve_resource(&mut self, handle: i32, value: &TensorView<'_>) -> Result<()> {
        let Some(sizes) = self.sizes else { return Ok(()) };
        // SAFETY: the tensor is readable for the call.
        check(unsafe { (sizes.reserve)(self.context, handle, value.as_raw()) })
    }

    /// As [`reserve_resource`](Self::reserve_resource), for a vector of so many elements.
    pub fn reserve_resource_slice<T: Element>(&mut self, handle: i32, count: usize) -> Result<()> {
        let Some(sizes) = self.sizes else { return Ok(()) };
        let length = vector_length(count)?;
        let value = vector::<T>(&length, core::ptr::null(), count);
        // SAFETY: the struct is readable for the call.
        check(unsafe { (sizes.reserve)(self.context, handle, &value) })
    }

    /// In `eval`: gives a resource the type, shape and data of `value`, which are copied.
    pub fn assign_resource(&mut self, handle: i32, value: &TensorView<'_>) -> Result<()> {
        // SAFETY: the tensor is readable for the call.
        check(unsafe { (self.resources.assign)(self.context, handle, value.as_raw()) })
    }

    /// As [`assign_resource`](Self::assign_resource), with a vector.
    pub fn assign_resource_slice<T: Element>(&mut self, handle: i32, values: &[T]) -> Result<()> {
        let length = vector_length(values.len())?;
        let value = vector(&length, values.as_ptr(), values.len());
        // SAFETY: the struct is readable for the call; `assign` only reads what it points to.
        check(unsafe { (self.resources.assign)(self.context, handle, &value) })
    }
}

fn vector_length(count: usize) -> Result<i32> {
    i32::try_from(count).map_err(|_| invalid!("{count} elements are too many"))
}

/// An entry for a vector whose length stands at `length`.
fn vector<T: Element>(length: *const i32, data: *const T, count: usize) -> ArTensorV1 {
    ArTensorV1 {
        element_type: T::TYPE as u32,
        rank: 1,
        dims: length,
        data: data.cast_mut().cast(),
        bytes: (count * size_of::<T>()) as u64,
        ..ArTensorV1::NONE
    }
}

fn index(subgraph: i32) -> Result<u32> {
    u32::try_from(subgraph).map_err(|_| invalid!("there is no subgraph {subgraph}"))
}
