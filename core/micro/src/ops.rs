//! Lists of ops, and the choice of the op that serves a node.

use arenite_abi::host_side::MAX_ALIGNMENT;
use arenite_abi::raw::{ArOpV1, BUILTIN_CUSTOM};
use arenite_abi::{ElementType, ElementTypes, Op};

use crate::error::{Error, Result};
use crate::model::node::Spec;
use arenite_model::detail;

pub use arenite_abi::op::Registration as OpRegistration;

/// The ops that a model may use, in one of two forms.
#[derive(Clone, Copy)]
pub enum Ops<'a> {
    /// A list of registrations.
    List(&'a [OpRegistration]),
    /// A list of pointers to registrations, as C programs have it.
    Pointers(&'a [&'a OpRegistration]),
}

impl<'a> Ops<'a> {
    /// The ops, in order.
    pub(crate) fn iter(self) -> impl Iterator<Item = &'a OpRegistration> {
        let count = match self {
            Ops::List(ops) => ops.len(),
            Ops::Pointers(ops) => ops.len(),
        };
        (0..count).map(move |i| match self {
            Ops::List(ops) => &ops[i],
            Ops::Pointers(ops) => ops[i],
        })
    }
}

/// A list of up to `N` ops without duplicates.
pub struct Resolver<const N: usize> {
    ops: [OpRegistration; N],
    count: usize,
}

/// Fills unused places of a `Resolver`. Its range of versions is empty, so it serves no node.
struct UnusedSlot;

impl Op for UnusedSlot {
    const CODE: arenite_abi::OpCode = arenite_abi::OpCode::Builtin(-1);
    const VERSIONS: core::ops::RangeInclusive<i32> = core::ops::RangeInclusive::new(1, 0);

    fn prepare(
        _: &arenite_abi::NodeView<'_>,
        _: &mut arenite_abi::PrepareContext<'_>,
    ) -> arenite_abi::Result<Self> {
        Err(arenite_abi::unsupported!("this is an unused slot"))
    }

    fn eval(&self, _: &mut arenite_abi::EvalContext<'_>) -> arenite_abi::Result<()> {
        Ok(())
    }
}

impl<const N: usize> Resolver<N> {
    /// An empty list.
    pub const fn new() -> Self {
        Resolver { ops: [arenite_abi::op::registration::<UnusedSlot>(); N], count: 0 }
    }

    /// Adds an op.
    ///
    /// # Errors
    /// [`Error::Duplicate`] if another op serves some of the same nodes; [`Error::Full`].
    pub fn add<T: Op>(self) -> Result<Self> {
        self.push(arenite_abi::op::registration::<T>())
    }

    /// Adds an op in the form of the contract's struct, for ops in other languages.
    ///
    /// # Safety
    /// As for [`OpRegistration::from_raw`].
    ///
    /// Safe code adds types, or results of [`registration`](arenite_abi::op::registration):
    ///
    /// ```compile_fail,E0133
    /// # use arenite_abi::{Op, op::registration, raw::ArOpV1};
    /// # use arenite_micro::Resolver;
    /// fn mixed<A: Op, B: Op>() -> arenite_micro::Result<Resolver<1>> {
    ///     let eval = registration::<B>().eval;
    ///     Resolver::new().add_registration(ArOpV1 { eval, ..registration::<A>().into_raw() })
    /// }
    /// ```
    ///
    /// # Errors
    /// As for [`add`](Self::add).
    pub unsafe fn add_registration(self, op: ArOpV1) -> Result<Self> {
        // SAFETY: this function requires what `from_raw` requires.
        self.push(unsafe { OpRegistration::from_raw(op) })
    }

    fn push(mut self, op: OpRegistration) -> Result<Self> {
        if let Some(code) = self.as_slice().iter().find(|other| compete(other, &op)).map(|op| op.builtin_code)
        {
            return Err(Error::Duplicate { second: detail(self.count), code: detail(code) });
        }
        *self.ops.get_mut(self.count).ok_or(Error::Full { capacity: detail(N) })? = op;
        self.count += 1;
        Ok(self)
    }

    /// The registrations.
    pub fn as_slice(&self) -> &[OpRegistration] {
        &self.ops[..self.count]
    }
}

impl<const N: usize> Default for Resolver<N> {
    fn default() -> Self {
        Self::new()
    }
}

/// Fails if two ops serve some of the same nodes, or if the alignment of a state is not supported.
pub(crate) fn check(ops: Ops<'_>) -> Result<()> {
    for (i, op) in ops.iter().enumerate() {
        if ops.iter().take(i).any(|other| compete(other, op)) {
            return Err(Error::Duplicate { second: detail(i), code: detail(op.builtin_code) });
        }
        let alignment = op.state_align;
        if !alignment.max(1).is_power_of_two() || alignment > MAX_ALIGNMENT as u64 {
            return Err(Error::Alignment { op: detail(i), alignment: detail(alignment) });
        }
    }
    Ok(())
}

/// The name of a custom op. As bytes, because checking that it is text takes more code than comparing it.
fn name(op: &OpRegistration) -> &[u8] {
    // SAFETY: the name is readable as long as the registration, as `Registration::name` says.
    unsafe { op.custom_name.as_bytes() }
}

/// Whether both could serve the same node.
fn compete(a: &OpRegistration, b: &OpRegistration) -> bool {
    let types = a.element_types == 0 || b.element_types == 0 || a.element_types & b.element_types != 0;
    let versions = a.min_version <= b.max_version && b.min_version <= a.max_version;
    a.builtin_code == b.builtin_code && name(a) == name(b) && types && versions
}

/// Whether `op` has the code, the name and the version of `node`.
#[inline(never)] // one copy
pub(crate) fn matches(op: &OpRegistration, node: &Spec<'_>) -> bool {
    // SAFETY: the name is text of the model, which is borrowed.
    let same_name = || unsafe { node.custom_name.as_bytes() } == name(op);
    op.builtin_code == node.builtin_code
        && (op.builtin_code != BUILTIN_CUSTOM || same_name())
        && (op.min_version..=op.max_version).contains(&node.version)
}

/// Whether `op` may serve `node`, whose tensors have these element types.
pub(crate) fn serves(
    op: &OpRegistration,
    node: &Spec<'_>,
    mut types: impl Iterator<Item = ElementType>,
) -> bool {
    matches(op, node) && types.all(|ty| ElementTypes::from_bits(op.element_types).contains(ty))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arenite_ops::{abs::Abs, relu::Relu};

    #[test]
    fn no_op_is_there_twice_and_none_beyond_the_room() {
        let one = Resolver::<1>::new().add::<Abs>().unwrap();
        assert_eq!(one.as_slice().len(), 1);
        assert!(matches!(one.add::<Relu>(), Err(Error::Full { capacity: 1 })));
        let again = Resolver::<2>::new().add::<Abs>().unwrap().add::<Abs>();
        assert!(matches!(again, Err(Error::Duplicate { second: 1, code: 101 })));
    }

    /// Ops with disjoint versions or element types do not compete.
    #[test]
    fn versions_and_types_tell_ops_apart() {
        let op = arenite_abi::op::registration::<Abs>();
        // SAFETY: the functions belong to this op type; only numbers differ, and the op is not called.
        let changed = |raw: ArOpV1| unsafe { OpRegistration::from_raw(raw) };
        let raw = op.into_raw();
        let (min_version, max_version) = (raw.max_version + 1, raw.max_version + 3);
        let newer = changed(ArOpV1 { min_version, max_version, ..raw });
        let check = |ops: &[OpRegistration]| check(Ops::List(ops));
        assert!(check(&[op, newer]).is_ok());
        assert!(
            check(&[op, newer, changed(ArOpV1 { min_version: raw.max_version, max_version, ..raw })])
                .is_err()
        );
        let only = |bits| changed(ArOpV1 { element_types: bits, ..raw });
        assert!(check(&[only(1), only(2)]).is_ok());
        assert!(check(&[only(1), only(3)]).is_err());
        let odd = changed(ArOpV1 { state_align: 48, ..raw });
        assert!(matches!(check(&[odd]), Err(Error::Alignment { op: 0, alignment: 48 })));
    }
}
