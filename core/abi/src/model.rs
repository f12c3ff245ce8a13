//! An op's access to the model beyond its node: it may run other subgraphs, and keep values between invocations.

use core::ffi::c_void;
use core::marker::PhantomData;

use crate::graph::GraphView;
use crate::host::check;
use crate::raw::{
    ArBytes, ArGraphV1, ArResourcesV1, ArSizesV1, ArSubgraphsV1, ArTensorV1, INTERFACE_RESOURCES,
    INTERFACE_SIZES, INTERFACE_SUBGRAPHS, TENSOR_DYNAMIC,
};
use crate::tensor::{Element, ElementType, TensorView};
use crate::{Result, invalid, unsupported};

/// The model around a node: its *subgraphs*, and its *resources*, which are values that outlive an invocation and that
/// all subgraphs of an interpreter share.
///
/// A subgraph has only one set of tensors, so it cannot be called while it runs: recursion is an error.
pub struct ModelContext<'a> {
    subgraphs: &'static ArSubgraphsV1,
    resources: &'static ArResourcesV1,
    sizes: Option<&'static ArSizesV1>,
    context: *mut c_void,
    of: PhantomData<&'a ()>,
}

/// An output of a subgraph.
pub struct SubgraphOutput<'a> {
    /// Its type and shape, and after [`ModelContext::invoke`] its data.
    pub tensor: TensorView<'a>,
    /// Whether the shape is known only after a run.
    pub dynamic: bool,
}

/// The function that returns a host's interfaces.
pub(crate) type Query = unsafe extern "C" fn(*mut c_void, u64) -> *const c_void;

impl<'a> ModelContext<'a> {
    /// Asks the host for its interfaces.
    ///
    /// # Safety
    /// For `context`, `query` must return null or the struct of the requested interface, valid as long as the process.
    /// `context` must belong to a call that is in progress during `'a`, in which this is the only `ModelContext`.
    pub(crate) unsafe fn new(query: Query, context: *mut c_void) -> Result<Self> {
        // SAFETY: the caller guarantees that `query` returns null or the struct of the id.
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

    /// The nodes of a subgraph, and its tensors with their current shapes.
    ///
    /// # Errors
    /// The subgraph does not exist, or is running.
    pub fn subgraph(&self, subgraph: i32) -> Result<GraphView<'_>> {
        let mut graph: *const ArGraphV1 = core::ptr::null();
        // SAFETY: the result is writable. The graph is valid until the call returns, and calls that change it need
        // `&mut self`.
        unsafe {
            check((self.subgraphs.describe)(self.context, index(subgraph)?, &mut graph))?;
            let graph =
                graph.as_ref().ok_or_else(|| unsupported!("the host shows no subgraph {subgraph}"))?;
            Ok(GraphView::from_raw(graph))
        }
    }

    /// The number of inputs and outputs of a subgraph. Some hosts report it with less work than
    /// [`subgraph`](Self::subgraph).
    ///
    /// # Errors
    /// The subgraph does not exist, or is running.
    pub fn ports(&self, subgraph: i32) -> Result<(usize, usize)> {
        let Some(sizes) = self.sizes else {
            let graph = self.subgraph(subgraph)?;
            return Ok((graph.inputs().len(), graph.outputs().len()));
        };
        let (mut inputs, mut outputs) = (0, 0);
        // SAFETY: both results are writable, and the function belongs to the interface of this context.
        check(unsafe { (sizes.ports)(self.context, index(subgraph)?, &mut inputs, &mut outputs) })?;
        Ok((inputs as usize, outputs as usize))
    }

    /// Gives a subgraph's input the shape of `value` and, in `eval`, copies its data. The types must be equal.
    ///
    /// # Errors
    /// The subgraph or the input does not exist, or the types differ.
    pub fn set_input(&mut self, subgraph: i32, input: usize, value: &TensorView<'_>) -> Result<()> {
        // SAFETY: the tensor is readable during the call, and the function belongs to the interface of this context.
        check(unsafe {
            (self.subgraphs.set_input)(self.context, index(subgraph)?, input as u32, &value.to_raw())
        })
    }

    /// In `eval`: gives input `i` of subgraph `to` the shape and value of output `i` of `from`, which must have run.
    /// `from` may be `to`.
    ///
    /// # Errors
    /// A subgraph does not exist, the types differ, or the call is made in `prepare`.
    pub fn forward(&mut self, from: i32, to: i32) -> Result<()> {
        // SAFETY: the arguments are plain values, and the function belongs to the interface of this context.
        check(unsafe { (self.subgraphs.forward)(self.context, index(from)?, index(to)?) })
    }

    /// Prepares a subgraph for the current shapes of its inputs.
    ///
    /// # Errors
    /// The subgraph does not exist, or cannot be prepared.
    pub fn prepare(&mut self, subgraph: i32) -> Result<()> {
        // SAFETY: the arguments are plain values, and the function belongs to the interface of this context.
        check(unsafe { (self.subgraphs.prepare)(self.context, index(subgraph)?) })
    }

    /// In `eval`: runs a subgraph on its current inputs.
    ///
    /// # Errors
    /// The subgraph does not exist or fails, or the call is made in `prepare`.
    pub fn invoke(&mut self, subgraph: i32) -> Result<()> {
        // SAFETY: the arguments are plain values, and the function belongs to the interface of this context.
        check(unsafe { (self.subgraphs.invoke)(self.context, index(subgraph)?) })
    }

    /// An output of a subgraph that was prepared or run.
    ///
    /// # Errors
    /// The subgraph or the output does not exist.
    pub fn output(&self, subgraph: i32, output: usize) -> Result<SubgraphOutput<'_>> {
        let mut value = ArTensorV1::NONE;
        // SAFETY: the result is writable. What it points to is valid, and calls that change it need `&mut self`.
        unsafe {
            check((self.subgraphs.output)(self.context, index(subgraph)?, output as u32, &mut value))?;
            let dynamic = value.flags & TENSOR_DYNAMIC != 0;
            Ok(SubgraphOutput { tensor: TensorView::from_raw(&value)?, dynamic })
        }
    }

    /// The handle of the resource with this name, which may be any bytes. Creates the resource without a value if
    /// necessary.
    ///
    /// # Errors
    /// The host cannot create another resource.
    pub fn open_resource(&mut self, name: &[u8]) -> Result<i32> {
        let mut handle = 0;
        // SAFETY: the name is readable during the call and the result is writable.
        check(unsafe { (self.resources.open)(self.context, ArBytes::borrowed(name), &mut handle) })?;
        Ok(handle)
    }

    /// The value of a resource; `None` before it is assigned.
    ///
    /// # Errors
    /// The handle did not come from [`open_resource`](Self::open_resource).
    pub fn resource(&self, handle: i32) -> Result<Option<TensorView<'_>>> {
        let mut value = ArTensorV1::NONE;
        // SAFETY: the result is writable. What it points to is valid, and calls that change it need `&mut self`.
        unsafe {
            check((self.resources.value)(self.context, handle, &mut value))?;
            if value.dims.is_null() {
                return Ok(None);
            }
            TensorView::from_raw(&value).map(Some)
        }
    }

    /// In `prepare`: announces that `eval` may assign a value of this type, rank and size. Hosts that cannot allocate
    /// memory while a model runs require this announcement; others ignore it.
    ///
    /// # Errors
    /// The handle is invalid, or the memory is not available.
    pub fn reserve_resource(&mut self, handle: i32, value: &TensorView<'_>) -> Result<()> {
        let Some(sizes) = self.sizes else { return Ok(()) };
        // SAFETY: the tensor is readable during the call, and the function belongs to the interface of this context.
        check(unsafe { (sizes.reserve)(self.context, handle, &value.to_raw()) })
    }

    /// Like [`reserve_resource`](Self::reserve_resource), for a vector of `count` elements.
    ///
    /// # Errors
    /// As for [`reserve_resource`](Self::reserve_resource).
    pub fn reserve_resource_slice<T: Element>(&mut self, handle: i32, count: usize) -> Result<()> {
        let Some(sizes) = self.sizes else { return Ok(()) };
        let length = vector_length(count)?;
        let value = vector::<T>(&length, core::ptr::null(), count);
        // SAFETY: the struct is readable during the call, and the function belongs to the interface of this context.
        check(unsafe { (sizes.reserve)(self.context, handle, &value) })
    }

    /// In `eval`: assigns the type, the shape and a copy of the data of `value` to a resource.
    ///
    /// # Errors
    /// The handle is invalid, the memory is not available, or the call is made in `prepare`.
    pub fn assign_resource(&mut self, handle: i32, value: &TensorView<'_>) -> Result<()> {
        // SAFETY: the tensor is readable during the call, and the function belongs to the interface of this context.
        check(unsafe { (self.resources.assign)(self.context, handle, &value.to_raw()) })
    }

    /// Like [`assign_resource`](Self::assign_resource), with the bytes of a tensor of this type and shape.
    ///
    /// # Errors
    /// As for [`assign_resource`](Self::assign_resource), and if the tensor needs another number of bytes.
    pub fn assign_resource_bytes(
        &mut self,
        handle: i32,
        ty: ElementType,
        shape: &[i32],
        bytes: &[u8],
    ) -> Result<()> {
        let value = ArTensorV1 {
            element_type: ty as u32,
            rank: u32::try_from(shape.len()).unwrap_or(u32::MAX),
            dims: shape.as_ptr(),
            data: bytes.as_ptr().cast_mut().cast(),
            bytes: bytes.len() as u64,
            ..ArTensorV1::NONE
        };
        // SAFETY: shape and bytes are borrowed, so they are readable during the call. `assign` only reads them, and
        // refuses a number of bytes that does not follow from type and shape.
        check(unsafe { (self.resources.assign)(self.context, handle, &value) })
    }

    /// Like [`assign_resource`](Self::assign_resource), with a vector.
    ///
    /// # Errors
    /// As for [`assign_resource`](Self::assign_resource).
    pub fn assign_resource_slice<T: Element>(&mut self, handle: i32, values: &[T]) -> Result<()> {
        let length = vector_length(values.len())?;
        let value = vector(&length, values.as_ptr(), values.len());
        // SAFETY: the struct is readable during the call; `assign` only reads what it points to.
        check(unsafe { (self.resources.assign)(self.context, handle, &value) })
    }
}

fn vector_length(count: usize) -> Result<i32> {
    i32::try_from(count).map_err(|_| invalid!("{count} elements are too many"))
}

/// An entry for a vector whose length is stored at `length`.
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
    u32::try_from(subgraph).map_err(|_| invalid!("subgraph {subgraph} does not exist"))
}
