//! The functions of an epilogue, in both shader languages: `v` is the result so far, and `o` the other operand.
//! `build/spirv.rs` includes this file, so it names nothing of the crate.

/// Passes a list to a macro: each function of one element, its text in OpenCL C, and its text in WGSL.
macro_rules! unary_functions {
    ($macro:ident) => {
        $macro! {
            Abs "fabs(v)" "abs(v)";
            Neg "-v" "-v";
            Sqrt "sqrt(v)" "root(v)";
            Rsqrt "1.0f / sqrt(v)" "quotient(vec4<f32>(1.0), root(v))";
            Square "v * v" "v * v";
            Floor "floor(v)" "floor(v)";
            Ceil "ceil(v)" "ceil(v)";
            Round "select(rint(v) + 0.0f, v, isequal(v, (float4)(0.0f)))" "rounded(v)";
            Sign
                "select(select(v + 0.0f, (float4)(1.0f), isgreater(v, (float4)(0.0f))), (float4)(-1.0f), isless(v, (float4)(0.0f)))"
                "select(select(v + 0.0, vec4<f32>(1.0), v > vec4<f32>()), vec4<f32>(-1.0), v < vec4<f32>())";
            Exp "exp(v)" "exponential(v)";
            Log "log(v)" "logarithm(v)";
            Sin "sin(v)" "sinusoid(v, 0.0)";
            Cos "cos(v)" "sinusoid(v, 1.0)";
            Elu
                "select(v, expm1(v), isless(v, (float4)(0.0f)))"
                "select(v, exp_less_one(v), v < vec4<f32>())";
            Logistic "1.0f / (1.0f + exp(-v))" "1.0 / (1.0 + exp(-v))";
            Tanh "tanh(v)" "hyperbolic(v)";
            HardSwish
                "v * at_most(at_least(v + 3.0f, 0.0f), 6.0f) / 6.0f"
                "v * at_most(at_least(v + 3.0, 0.0), 6.0) / 6.0";
            Silu "finite(v / (1.0f + exp(-v)))" "v / (1.0 + exp(-v))";
            Gelu
                "0.5f * v * (1.0f + ended(erf(v * 0.70710678118654752f), v, -5.66f))"
                "0.5 * v * (1.0 + error_function(v * 0.70710678))";
            GeluTanh
                "0.5f * v * (1.0f + ended(tanh(0.79788456080286536f * (v + 0.044715f * v * v * v)), v, -6.0f))"
                "0.5 * v * (1.0 + hyperbolic(0.79788456 * (v + 0.044715 * v * v * v)))";
        }
    };
}

/// The same for functions of two elements.
macro_rules! binary_functions {
    ($macro:ident) => {
        $macro! {
            Add "finite(v + {o})" "finite(v + o)";
            Sub "finite(v - {o})" "finite(v - o)";
            SubFrom "finite({o} - v)" "finite(o - v)";
            Mul "finite(v * {o})" "finite(product(v, o))";
            Div "finite(v / {o})" "finite(quotient(v, o))";
            DivInto "finite({o} / v)" "finite(quotient(o, v))";
            Min "select({o}, v, isless(v, {o}))" "select(o, v, v < o)";
            MinOf "select(v, {o}, isless({o}, v))" "select(v, o, o < v)";
            Max "select({o}, v, isgreater(v, {o}))" "select(o, v, v > o)";
            MaxOf "select(v, {o}, isgreater({o}, v))" "select(v, o, o > v)";
            SquaredDifference "(v - {o}) * (v - {o})" "(v - o) * (v - o)";
            Leak
                "select(v, v * {o}, isless(v, (float4)(0.0f)))"
                "select(v, product(v, o), v < vec4<f32>())";
            LeakOf
                "select({o}, v * {o}, isless({o}, (float4)(0.0f)))"
                "select(o, v * o, o < vec4<f32>())";
        }
    };
}

pub(crate) use {binary_functions, unary_functions};
