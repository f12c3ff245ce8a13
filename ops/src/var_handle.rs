//! VAR_HANDLE: a handle to the variable with this container and name; all subgraphs share the variable.
//! Defined by: tflite/kernels/var_handle.cc.

use arenite_abi::prelude::*;
use arenite_abi::schema::VarHandleOptions;

use crate::kit::resource;

plain! {
    /// A prepared `VAR_HANDLE` node, which has no state because the handle is constant.
    pub struct VarHandle;
}

impl Op for VarHandle {
    const CODE: OpCode = OpCode::Builtin(op::VAR_HANDLE);
    const VERSIONS: RangeInclusive<i32> = 1..=1;
    const STATEFUL: bool = true;
    const EMBED: Option<Embed<Self>> = Some(Embed::PLAIN);

    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Self> {
        let options = node.options()?;
        let name = [
            b"variable",
            options.get(VarHandleOptions::CONTAINER)?.as_bytes(),
            options.get(VarHandleOptions::SHARED_NAME)?.as_bytes(),
        ];
        let shape = node.output(0)?.shape;
        ensure!(shape.iter().all(|&d| d == 1), "the handle's shape is {shape:?}; a handle is one number");
        resource::declare_handle(node, cx, shape, &name)?;
        Ok(VarHandle)
    }

    fn eval(&self, _: &mut EvalContext<'_>) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_abi::testing::{OpTest, Spec, Tensor};

    fn run(name: &str) -> Vec<u8> {
        let other = Tensor::i32(&[], &[0]);
        let known = b"\x08\0\0\0variable\0\0\0\0\x01\0\0\0b";
        let case = OpTest::<VarHandle>::new().resource(b"another", other.clone()).resource(known, other);
        let case = case
            .output(Spec::of(ElementType::Resource))
            .options(|o| o.set(VarHandleOptions::SHARED_NAME, name));
        case.run().unwrap().remove(0).bytes().to_vec()
    }

    #[test]
    fn known_names_keep_their_handle_and_new_names_get_the_next() {
        assert_eq!(run("b"), 1i32.to_le_bytes());
        assert_eq!(run("c"), 2i32.to_le_bytes());
    }

    #[test]
    fn refusals() {
        let long = "x".repeat(1100);
        let case = OpTest::<VarHandle>::new()
            .output(Spec::i32())
            .options(|o| o.set(VarHandleOptions::SHARED_NAME, &long));
        assert_eq!(case.run().unwrap_err().message(), "its name is longer than 1024 bytes");
    }
}
