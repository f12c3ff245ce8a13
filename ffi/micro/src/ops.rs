//! One registration per op of `arenite-ops`, with the name declared in `include/arenite_micro_ops.h`.

use arenite_micro::OpRegistration;

/// The C name of an op, derived from its source file.
macro_rules! name {
    (r#if) => {
        "ar_micro_op_if"
    };
    (r#where) => {
        "ar_micro_op_where"
    };
    (r#while) => {
        "ar_micro_op_while"
    };
    ($module:ident) => {
        concat!("ar_micro_op_", stringify!($module))
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
    (@name custom::$module:ident::$op:ident) => { name!($module) };
    (@name $module:ident::$op:ident) => { name!($module) };
    (@op custom::$module:ident::$op:ident) => {
        symbols! { @static name!($module), arenite_ops::custom::$module::$op }
    };
    (@op $module:ident::$op:ident) => {
        symbols! { @static name!($module), arenite_ops::$module::$op }
    };
    (@static $name:expr, $op:path) => {
        const _: () = {
            #[unsafe(export_name = $name)]
            static OP: OpRegistration = arenite_abi::op::registration::<$op>();
        };
    };
}

arenite_ops::each_op!(symbols);

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
