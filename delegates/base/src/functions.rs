//! The functions of `f32` that kernels compute.

/// Defines an enum of functions, with a list of them and a macro for arrays of kernels.
macro_rules! functions {
    ($d:tt $(#[$about:meta])* $type:ident, $each:ident: $($(#[$doc:meta])* $name:ident,)*) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub enum $type {
            $($(#[$doc])* $name,)*
        }

        impl $type {
            /// All of them, by number.
            pub const ALL: [$type; [$(stringify!($name)),*].len()] = [$($type::$name),*];
        }

        /// An array with an instance of a generic function for each function, by number.
        #[macro_export]
        macro_rules! $each {
            ($d kernel:ident) => {
                [$($d kernel::<{ $crate::$type::$name as usize }>),*]
            };
        }
    };
}

functions! { $
    /// A function of one element.
    Unary, each_unary:
    /// `|x|`.
    Abs,
    /// `−x`.
    Neg,
    /// `√x`.
    Sqrt,
    /// `1 / √x`.
    Rsqrt,
    /// `x²`.
    Square,
    /// The integer next below.
    Floor,
    /// The integer next above.
    Ceil,
    /// The integer next to it, the even one of two; −0 of −0 alone.
    Round,
    /// −1, 0 or 1, as `x` is negative, zero or positive; NaN of NaN.
    Sign,
    /// `eˣ`.
    Exp,
    /// `ln x`; −∞ of zeros, NaN of negative numbers.
    Log,
    /// `sin x`; NaN of infinite numbers.
    Sin,
    /// `cos x`; NaN of infinite numbers.
    Cos,
    /// `x` where that is not negative, else `eˣ − 1`.
    Elu,
    /// `1 / (1 + e⁻ˣ)`.
    Logistic,
    /// `tanh x`.
    Tanh,
    /// `x · min(max(x + 3, 0), 6) / 6`.
    HardSwish,
    /// `x / (1 + e⁻ˣ)`.
    Silu,
    /// `x / 2 · (1 + erf(x / √2))`.
    Gelu,
    /// `x / 2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))`.
    GeluTanh,
}

impl Unary {
    /// The function in double precision.
    pub fn exact(self, x: f64) -> f64 {
        match self {
            Unary::Abs => x.abs(),
            Unary::Neg => -x,
            Unary::Sqrt => x.sqrt(),
            Unary::Rsqrt => 1.0 / x.sqrt(),
            Unary::Square => x * x,
            Unary::Floor => x.floor(),
            Unary::Ceil => x.ceil(),
            Unary::Round => x.round_ties_even(),
            Unary::Sign if x == 0.0 => 0.0,
            Unary::Sign => x.signum(),
            Unary::Exp => x.exp(),
            Unary::Log => x.ln(),
            Unary::Sin => x.sin(),
            Unary::Cos => x.cos(),
            Unary::Elu if x < 0.0 => x.exp_m1(),
            Unary::Elu => x,
            Unary::Logistic => logistic(x),
            Unary::Tanh => x.tanh(),
            Unary::HardSwish => x * (x + 3.0).clamp(0.0, 6.0) / 6.0,
            Unary::Silu => x * logistic(x),
            Unary::Gelu => x / 2.0 * (1.0 + erf(x / std::f64::consts::SQRT_2)),
            Unary::GeluTanh => x / 2.0 * (1.0 + (ROOT_OF_2_OVER_PI * (x + 0.044_715 * x * x * x)).tanh()),
        }
    }
}

const ROOT_OF_2_OVER_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2;

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// By Simpson's rule, which is accurate enough for tests; ±1 where the rest is less than 10⁻¹⁶.
fn erf(x: f64) -> f64 {
    if x.abs() > 6.0 {
        return x.signum();
    }
    let n = 2000;
    let h = x / f64::from(n);
    let g = |i: i32| (-(f64::from(i) * h).powi(2)).exp();
    let inner: f64 = (1..n).map(|i| g(i) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
    (g(0) + inner + g(n)) * h / 3.0 * std::f64::consts::FRAC_2_SQRT_PI
}

functions! { $
    /// A function of two elements.
    Binary, each_binary:
    /// `a + b`.
    Add,
    /// `a − b`.
    Sub,
    /// `b − a`.
    SubFrom,
    /// `a · b`.
    Mul,
    /// `a / b`.
    Div,
    /// `b / a`.
    DivInto,
    /// `a` where that is less than `b`, else `b`: it matters for zeros and NaN.
    Min,
    /// `b` where that is less than `a`, else `a`.
    MinOf,
    /// `a` where that is greater than `b`, else `b`.
    Max,
    /// `b` where that is greater than `a`, else `a`.
    MaxOf,
    /// `(a − b)²`.
    SquaredDifference,
    /// `a` where that is not negative, else `a · b`.
    Leak,
    /// `b` where that is not negative, else `a · b`.
    LeakOf,
}

impl Binary {
    /// The function with its operands the other way round.
    #[inline]
    pub const fn swapped(self) -> Binary {
        match self {
            Binary::Sub => Binary::SubFrom,
            Binary::SubFrom => Binary::Sub,
            Binary::Div => Binary::DivInto,
            Binary::DivInto => Binary::Div,
            Binary::Min => Binary::MinOf,
            Binary::MinOf => Binary::Min,
            Binary::Max => Binary::MaxOf,
            Binary::MaxOf => Binary::Max,
            Binary::Leak => Binary::LeakOf,
            Binary::LeakOf => Binary::Leak,
            other => other,
        }
    }
}

/// The function that reduces many values to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Reduction {
    /// Their sum.
    Sum,
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

impl Reduction {
    /// All of them, by number.
    pub const ALL: [Reduction; 3] = [Reduction::Sum, Reduction::Max, Reduction::Min];
}

/// The function that a pool applies to the elements under its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolKind {
    /// The largest value.
    Max,
    /// The mean.
    Mean,
}
