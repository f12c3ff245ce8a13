//! The tensors of one run, recorded right after they were computed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use arenite::{ElementType, Interpreter, Moment, ObservedStep, Tensor};

use crate::difference::reals;

/// Tensors of a subgraph.
#[derive(Default)]
pub struct Recording {
    /// By the tensor's index.
    pub tensors: BTreeMap<usize, RecordedTensor>,
    /// Indices in the order in which they were written.
    pub order: Vec<usize>,
}

/// The value of a tensor.
pub struct RecordedTensor {
    /// The tensor's name.
    pub name: String,
    /// The op or delegate that computed it.
    pub by: String,
    /// Its dimensions.
    pub shape: Vec<i32>,
    /// Its element type.
    pub ty: ElementType,
    /// The largest scale, if it is quantized.
    pub step: Option<f64>,
    /// Its elements.
    pub values: Values,
}

/// The elements of a tensor.
pub enum Values {
    /// Real numbers: stored values with the scale applied.
    Reals(Vec<f64>),
    /// Why the tensor has no values.
    Missing(String),
}

impl Recording {
    /// Invokes a subgraph, whose inputs are set.
    ///
    /// # Errors
    /// A node fails.
    pub fn of(interpreter: &mut Interpreter, subgraph: usize) -> arenite::Result<Self> {
        let recording: Arc<Mutex<Recording>> = Arc::default();
        let shared = Arc::clone(&recording);
        interpreter.set_observer(move |observed| {
            if (observed.moment, observed.subgraph) == (Moment::After, subgraph) {
                shared.lock().unwrap_or_else(PoisonError::into_inner).observe(observed);
            }
        });
        let ran = interpreter.invoke_subgraph(subgraph);
        interpreter.remove_observer();
        ran?;
        Ok(std::mem::take(&mut *recording.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn observe(&mut self, observed: &ObservedStep<'_>) {
        let by = match observed.delegate() {
            Some(name) => format!("delegate {name}"),
            None => observed.op().to_owned(),
        };
        for index in observed.outputs().iter().filter_map(|&t| usize::try_from(t).ok()) {
            let Ok(tensor) = observed.tensor(index) else { continue };
            self.order.retain(|&known| known != index);
            self.order.push(index);
            self.tensors.insert(index, RecordedTensor::of(&tensor, by.clone()));
        }
    }
}

impl RecordedTensor {
    fn of(tensor: &Tensor<'_>, by: String) -> Self {
        let scales = tensor.scales.iter().map(|&scale| f64::from(scale.abs()));
        RecordedTensor {
            name: tensor.name.to_owned(),
            by,
            shape: tensor.shape.to_vec(),
            ty: tensor.ty,
            step: scales.max_by(f64::total_cmp).filter(|_| tensor.ty.is_quantizable()),
            values: reals(tensor).map_or_else(Values::Missing, Values::Reals),
        }
    }
}
