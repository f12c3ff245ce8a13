//! Verifies external buffers, and the tensors that have their data there.

use super::check::Check;
#[cfg(feature = "std")]
use super::check::check_index;
use crate::detail::detail;
use crate::error::ModelError;
use crate::model::Model;
use crate::path::Path;
use crate::schema::Tensor;
#[cfg(feature = "std")]
use crate::schema::{ExternalBuffer, ModelTable};

/// Verifies the list of external buffers: their ids ascend, and their groups exist.
#[cfg(feature = "std")]
pub(super) fn verify(root: ModelTable<'_>) -> Check {
    let mut previous = None;
    for (index, buffer) in root.external_buffers().iter().enumerate() {
        let path = Path::root().entry("external_buffers", index);
        let groups = root.external_buffer_groups().len();
        check_index(i64::from(buffer.group()), groups, "group", "model", || path.field("group"))?;
        if previous.is_some_and(|previous| buffer.id() <= previous) {
            let (path, found) = (path.field("id"), i64::from(buffer.id()));
            return Err(ModelError::Value {
                path,
                found: detail(found),
                expected: detail("more than the id before it"),
            });
        }
        previous = Some(buffer.id());
    }
    Ok(())
}

/// Verifies a tensor whose data is in an external buffer: the buffer exists, is the only one, and is inside its file.
#[cfg(feature = "std")]
pub(super) fn tensor(model: Model<'_>, tensor: &Tensor<'_>, path: Path) -> Check {
    let at = path.field("external_buffer");
    let found = i64::from(tensor.external_buffer());
    let missing = || ModelError::Value {
        path: at,
        found: detail(found),
        expected: detail("the id of an external buffer"),
    };
    let (index, buffer) = model.root.external_buffer(tensor.external_buffer()).ok_or_else(missing)?;
    if tensor.buffer() != 0 {
        let (path, found) = (path.field("buffer"), i64::from(tensor.buffer()));
        return Err(ModelError::Value {
            path,
            found: detail(found),
            expected: detail("0 if there is an external buffer"),
        });
    }
    let path = Path::root().entry("external_buffers", index);
    if !matches!(buffer.packing(), None | Some("" | "unpacked")) {
        let (path, what) = (path.field("packing"), "a packing other than `unpacked`");
        return Err(ModelError::Unsupported { path, what: detail(what) });
    }
    let Some(group) = model.groups.group(buffer.group()) else {
        return Err(absent(model, &buffer));
    };
    if model.groups.bytes(&buffer).is_none() {
        let (offset, size, file) = (buffer.offset(), buffer.length(), group.len());
        return Err(ModelError::FileRange {
            path,
            offset: detail(offset),
            size: detail(size),
            file: detail(file),
        });
    }
    Ok(())
}

/// The bytes of the buffer's group were not given.
#[cfg(feature = "std")]
fn absent(model: Model<'_>, buffer: &ExternalBuffer<'_>) -> ModelError {
    let group = model.external_buffer_groups().get(buffer.group() as usize);
    let name = group.and_then(|group| group.name()).unwrap_or_default();
    ModelError::group(
        name,
        "has constants: load the model from its file, next to this one, or give its bytes",
    )
}

/// Without `std`, all constants are in the file of the model.
#[cfg(not(feature = "std"))]
pub(super) fn tensor(_: Model<'_>, _: &Tensor<'_>, path: Path) -> Check {
    let (path, what) = (path.field("external_buffer"), "constant data in another file");
    Err(ModelError::Unsupported { path, what: detail(what) })
}
