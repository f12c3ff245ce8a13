//! Families of ops that differ only in the parameters of a table.

use arenite_abi::prelude::*;

/// The implementation that the ops of a family share.
pub trait Family: Sized + Send + Sync + 'static {
    /// The parameters that distinguish the ops of this family.
    type Member: 'static;
    /// How outputs may share memory with inputs.
    const SHARING: Sharing = Sharing::None;
    /// Whether the result depends on anything besides the inputs.
    const STATEFUL: bool = false;

    /// Prepares a node, like [`Op::prepare`].
    ///
    /// # Errors
    /// The node is invalid or not supported.
    fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>, of: &'static Self::Member) -> Result<Self>;

    /// Evaluates a node, like [`Op::eval`].
    ///
    /// # Errors
    /// The data of an input is invalid, or the invocation is cancelled.
    fn eval(&self, cx: &mut EvalContext<'_>) -> Result<()>;
}

/// Declares the ops of a family: for each one its docs, its type, its name and its parameters.
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

        /// The names of the custom ops in the table.
        #[cfg(test)]
        #[allow(dead_code)]
        const NAMES: &[&str] = &[$($name,)*];
    };
}

/// The `Functions` for these kinds of numbers.
#[macro_export]
macro_rules! of {
    ($($kind:ident: $function:expr),* $(,)?) => {
        Functions { $($kind: Some($function),)* ..Functions::NONE }
    };
}

/// Like [`of!`](crate::of!), for inputs that must have equal shapes.
#[macro_export]
macro_rules! alike {
    ($($kind:ident: $function:expr),* $(,)?) => {
        Functions { $($kind: Some($function),)* ..Functions::ALIKE }
    };
}
