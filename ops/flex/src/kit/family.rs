//! Ops that differ by what stands in a table only.

use arenite_abi::prelude::*;

/// What the ops of a family do.
pub trait Family: Sized + Send + Sync + 'static {
    /// What tells one op from another.
    type Member: 'static;
    /// How outputs may lie in the memory of inputs.
    const SHARING: Sharing = Sharing::None;
    /// Whether the result depends on more than the inputs.
    const STATEFUL: bool = false;

    /// As [`Op::prepare`].
    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>, of: &'static Self::Member) -> Result<Self>;

    /// As [`Op::eval`].
    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()>;
}

/// The table of a family: for each op its docs, its type, its name, and what tells it from the others.
#[macro_export]
macro_rules! family {
    ($family:ty: $($(#[$doc:meta])* $op:ident $name:literal = $member:expr;)*) => {
        $(
            $(#[$doc])*
            pub struct $op($family);

            impl arenite_abi::Op for $op {
                const CODE: arenite_abi::OpCode = arenite_abi::OpCode::Custom($name);
                const VERSIONS: core::ops::RangeInclusive<i32> = 1..=1;
                const SHARING: arenite_abi::Sharing = <$family as $crate::kit::family::Family>::SHARING;
                const STATEFUL: bool = <$family as $crate::kit::family::Family>::STATEFUL;

                fn prepare(
                    node: &arenite_abi::NodeView<'_>,
                    cx: &mut arenite_abi::PrepareContext<'_>,
                ) -> arenite_abi::Result<Self> {
                    $crate::kit::family::Family::prepare(node, cx, const { &$member }).map($op)
                }

                fn eval(&self, cx: &mut arenite_abi::EvalContext<'_>) -> arenite_abi::Result<()> {
                    $crate::kit::family::Family::eval(&self.0, cx)
                }
            }
        )*

        /// The custom ops of the table.
        #[cfg(test)]
        #[allow(dead_code)]
        const NAMES: &[&str] = &[$($name,)*];
    };
}

/// `Functions` of these kinds.
#[macro_export]
macro_rules! of {
    ($($kind:ident: $function:expr),* $(,)?) => {
        Functions { $($kind: Some($function),)* ..Functions::NONE }
    };
}

/// As [`of!`](crate::of!), of inputs that must agree in shape.
#[macro_export]
macro_rules! alike {
    ($($kind:ident: $function:expr),* $(,)?) => {
        Functions { $($kind: Some($function),)* ..Functions::ALIKE }
    };
}
