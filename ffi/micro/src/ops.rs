//! A registration per op of `arenite-ops`, under the name that `include/arenite_micro_ops.h` declares.

use arenite_micro::OpRegistration;

/// The name of an op in C, after the file that it stands in.
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

/// One symbol per op: as a program names them one by one, the linker leaves out the others and their kernels.
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

    /// The header has them all; where it does not, the test prints what it should have.
    #[test]
    fn the_header_declares_each_op() {
        let lines = NAMES.iter().map(|name| format!("extern const ArOpV1 {name};\n"));
        let expected: String = lines.collect();
        let header = include_str!("../include/arenite_micro_ops.h");
        let declared =
            header.lines().filter(|line| line.starts_with("extern const")).map(|line| format!("{line}\n"));
        assert!(declared.collect::<String>() == expected, "arenite_micro_ops.h is to have:\n{expected}");
    }

    /// Names are those that `arenite inspect --ops c` makes of an op's place.
    #[test]
    fn names_are_made_of_places() {
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
