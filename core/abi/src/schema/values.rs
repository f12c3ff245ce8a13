//! Values of the schema's enumerations.

macro_rules! values {
    ($($(#[$doc:meta])* $module:ident: $ty:ty { $($value:literal $name:ident,)* })*) => {$(
        $(#[$doc])*
        pub mod $module {
            $(
                #[doc = concat!("Number ", $value, ".")]
                pub const $name: $ty = $value;
            )*
        }
    )*};
}

values! {
    /// Values of the schema's `Padding`.
    padding: i8 { 0 SAME, 1 VALID, }

    /// Values of the schema's `ActivationFunctionType`.
    activation: i8 { 0 NONE, 1 RELU, 2 RELU_N1_TO_1, 3 RELU6, 4 TANH, 5 SIGN_BIT, }

    /// Values of the schema's `LSHProjectionType`.
    lsh_projection: i8 { 0 UNKNOWN, 1 SPARSE, 2 DENSE, }

    /// Values of the schema's `FullyConnectedOptionsWeightsFormat`.
    weights_format: i8 { 0 DEFAULT, 1 SHUFFLED_4X16_INT8, }

    /// Values of the schema's `LSTMKernelType`.
    lstm_kernel: i8 { 0 FULL, 1 BASIC, }

    /// Values of the schema's `CombinerType`.
    combiner: i8 { 0 SUM, 1 MEAN, 2 SQRTN, }

    /// Values of the schema's `MirrorPadMode`.
    mirror_pad: i8 { 0 REFLECT, 1 SYMMETRIC, }

    /// Values of the schema's `ReduceWindowFunction`.
    reduce_window: i32 { 0 UNSUPPORTED, 1 ADD, 2 MUL, 3 MINIMUM, 4 MAXIMUM, 5 ALL, 6 ANY, }

    /// Values of the schema's `RngAlgorithm`.
    rng_algorithm: i8 { 0 DEFAULT, 1 PHILOX, 2 THREEFRY, }

    /// Values of the schema's `StablehloComparisonDirection`.
    comparison_direction: u32 { 0 EQ, 1 NE, 2 GE, 3 GT, 4 LE, 5 LT, }

    /// Values of the schema's `StablehloComparisonType`.
    comparison_type: u32 { 0 NOTYPE, 1 FLOAT, 2 FLOAT_TOTAL_ORDER, 3 SIGNED, 4 UNSIGNED, }
}
