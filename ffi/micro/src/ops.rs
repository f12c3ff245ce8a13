//! One registration per op of `arenite-ops`, and per form of its `eval` that can be linked alone, with the name
//! declared in `include/arenite_micro_ops.h`; and the `eval` of each, which the files of `arenite embed` call.

use core::ffi::c_void;

use arenite_abi::op::{
    EvalContext, Form, NodeView, Op, PrepareContext, eval_embedded, registration, registration_of_form,
};
use arenite_abi::raw::{ArEvalV1, ArNodeV1, ArStatus};
use arenite_micro::OpRegistration;

/// The C name of an op, derived from its source file: of its registration, or of its `eval`.
macro_rules! name {
    ($prefix:literal r#if) => {
        concat!($prefix, "if")
    };
    ($prefix:literal r#where) => {
        concat!($prefix, "where")
    };
    ($prefix:literal r#while) => {
        concat!($prefix, "while")
    };
    ($prefix:literal $module:ident) => {
        concat!($prefix, stringify!($module))
    };
}

/// Defines one symbol per op, so that the linker drops ops and kernels that a program does not name.
macro_rules! symbols {
    ($($($part:ident)::+,)*) => {
        $(symbols! { @op $($part)::+ })*

        /// The names in C.
        #[cfg(test)]
        const NAMES: &[&str] = &[$(symbols! { @name $($part)::+ },)*];
    };
    (@name custom::$module:ident::$op:ident) => { name!("ar_micro_op_" $module) };
    (@name $module:ident::$op:ident) => { name!("ar_micro_op_" $module) };
    (@op custom::$module:ident::$op:ident) => {
        symbols! { @define name!("ar_micro_op_" $module), name!("ar_embed_" $module), arenite_ops::custom::$module::$op }
    };
    (@op $module:ident::$op:ident) => {
        symbols! { @define name!("ar_micro_op_" $module), name!("ar_embed_" $module), arenite_ops::$module::$op }
    };
    (@define $name:expr, $kernel:expr, $op:path) => {
        const _: () = {
            #[unsafe(export_name = $name)]
            static OP: OpRegistration = registration::<$op>();

            #[unsafe(export_name = $kernel)]
            unsafe extern "C" fn eval(eval: *const ArEvalV1, node: *const ArNodeV1, state: *mut c_void) -> ArStatus {
                // SAFETY: the caller meets the same requirements.
                unsafe { eval_embedded::<$op>(eval, node, state, |op, cx| op.eval(cx)) }
            }
        };
    };
}

arenite_ops::each_op!(symbols);

/// Defines two symbols per form of `eval`: a registration, and the function for the files of `arenite embed`.
macro_rules! forms {
    ($($name:literal: $module:ident::$op:ident::$form:ident, $prepare:ident;)*) => {
        $(const _: () = {
            use arenite_ops::$module::$op;

            struct OneForm;

            impl Form for OneForm {
                type Op = $op;
                const NAME: &'static str = concat!("ar_embed_", $name);

                fn prepare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> arenite_abi::Result<$op> {
                    <$op>::$prepare(node, cx)
                }

                fn eval(op: &$op, cx: &mut EvalContext<'_>) -> arenite_abi::Result<()> {
                    op.$form(cx)
                }
            }

            #[unsafe(export_name = concat!("ar_micro_op_", $name))]
            static OP: OpRegistration = registration_of_form::<OneForm>();

            #[unsafe(export_name = concat!("ar_embed_", $name))]
            unsafe extern "C" fn eval(eval: *const ArEvalV1, node: *const ArNodeV1, state: *mut c_void) -> ArStatus {
                // SAFETY: the caller meets the same requirements.
                unsafe { eval_embedded(eval, node, state, |op: &$op, cx| op.$form(cx)) }
            }
        };)*

        /// The names in C of the registrations.
        #[cfg(test)]
        const FORMS: &[&str] = &[$(concat!("ar_micro_op_", $name),)*];
    };
}

arenite_ops::each_form!(forms);

#[cfg(test)]
mod tests {
    use super::*;

    /// If the header is out of date, the test prints the lines it should contain.
    #[test]
    fn the_header_declares_each_op() {
        let lines = NAMES.iter().map(|name| format!("extern const ArOpV1 {name};\n"));
        let expected: String = lines.collect();
        let header = include_str!("../include/arenite_micro_ops.h");
        let declared =
            header.lines().filter(|line| line.starts_with("extern const")).map(|line| format!("{line}\n"));
        assert!(declared.collect::<String>() == expected, "arenite_micro_ops.h should contain:\n{expected}");
        for form in FORMS {
            let line = format!("extern ArOpV1 const {form};\n");
            assert!(header.contains(&line), "arenite_micro_ops.h should contain:\n{line}");
        }
    }

    /// `arenite inspect --ops c` derives the same names from an op's path.
    #[test]
    fn names_are_derived_from_paths() {
        for (name, path) in NAMES.iter().zip(arenite_ops::PATHS) {
            let module = path.rsplit("::").nth(1).map(|module| module.trim_start_matches("r#"));
            assert_eq!(
                Some(*name),
                module.map(|module| format!("ar_micro_op_{module}")).as_deref(),
                "{path}"
            );
        }
    }
}
