//! Runs the nodes of `cases.txt` and compares their results.
//!
//! A line is `op types | attributes | inputs | outputs`, or `op types | attributes | inputs | types | message` for a
//! node that the op rejects. [`attributes`] describes the attributes.
//!
//! A tensor is `F32[2]{1,2}`, whose data is repeated as needed. Complex numbers are `1+2i`, booleans 0 and 1. In
//! strings `_` is a space, and `%2c` the byte with that number. `List:F32<-1>([2]{1,2};-)` is a tensor list of elements
//! of that shape, or of any with `<?>`; `-` is an absent element. `Bytes:text` is a VARIANT of other bytes.
//!
//! Tensors of type `T` have each of the line's types in turn. If that is `any`, the number x means x + i as a
//! complex number, its parity as a boolean, and its digits as a string; 0 is 0 and the empty string.
//!
//! Outputs have exactly these bits; after `~` reals may differ in the last bits of their type.

use core::fmt::Debug;
use core::str::FromStr;

use arenite_abi::prelude::*;
use arenite_abi::testing::Tensor;
use arenite_abi::testing::nodes::{numbers, type_of};

use crate::by_type;
use crate::kit::list::{Element, List};
use crate::kit::number::Number;
use crate::kit::write::attributes;

/// The types of `any`.
const ANY: &[ElementType] =
    &[ElementType::Bool, I8, U8, I16, I32, I64, F16, BF16, F32, F64, C64, C128, ElementType::String];

/// The types in a list such as `reals,I32`.
fn types(text: &str) -> Vec<ElementType> {
    let set = |name: &str| match name {
        "any" => ANY.to_vec(),
        "reals" => vec![F16, BF16, F32, F64],
        "integers" => vec![I8, U8, I16, U16, I32, U32, I64, U64],
        "complex" => vec![C64, C128],
        name => vec![type_of(name)],
    };
    text.split(',').flat_map(set).collect()
}

fn parsed<X: FromStr<Err: Debug>>(data: &[String]) -> Vec<X> {
    data.iter().map(|x| x.parse().unwrap_or_else(|e| panic!("'{x}' is not a number: {e:?}"))).collect()
}

/// A complex number from `1+2i` or `1`.
fn complex(text: &str) -> Complex64 {
    let number = |x: &str| x.parse().unwrap_or_else(|_| panic!("'{text}' is not a complex number"));
    let parts = text.strip_suffix('i').and_then(|both| Some((both, both[1..].rfind(['+', '-'])? + 1)));
    match parts {
        Some((both, at)) => Complex64 { re: number(&both[..at]), im: number(&both[at..]) },
        None => Complex64 { re: number(text), im: 0.0 },
    }
}

/// The bytes of a string.
fn string(text: &str) -> Vec<u8> {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().replace('_', " ").into_bytes();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).expect("two hexadecimal digits"));
        bytes.extend(part[2..].replace('_', " ").into_bytes());
    }
    bytes
}

fn made(ty: ElementType, shape: &[i32], data: &[String]) -> Tensor {
    macro_rules! made {
        ($($ty:ident $rust:ty,)*) => {
            match ty {
                $($ty => Tensor::of(shape, &parsed::<$rust>(data)),)*
                C64 => {
                    let narrow = |z: Complex64| Complex32 { re: z.re as f32, im: z.im as f32 };
                    Tensor::of(shape, &data.iter().map(|x| narrow(complex(x))).collect::<Vec<_>>())
                }
                C128 => Tensor::of(shape, &data.iter().map(|x| complex(x)).collect::<Vec<_>>()),
                ElementType::Bool => Tensor::bool(shape, &data.iter().map(|x| x == "1").collect::<Vec<_>>()),
                ElementType::String => {
                    Tensor::strings(shape, &data.iter().map(|x| string(x)).collect::<Vec<_>>())
                }
                _ => panic!("{ty} has no Rust type"),
            }
        };
    }
    made! {
        I8 i8, U8 u8, I16 i16, U16 u16, I32 i32, U32 u32, I64 i64, U64 u64,
        F16 half::f16, BF16 half::bf16, F32 f32, F64 f64,
    }
}

/// A tensor list; `None` is an unknown element shape, or an absent element.
pub(super) fn list_of(ty: ElementType, shape: Option<&[i64]>, elements: &[Option<Tensor>]) -> Tensor {
    fn element(x: &Tensor) -> Element<'_> {
        Element { shape: x.shape().to_vec(), data: x.bytes() }
    }
    let elements = elements.iter().map(|x| x.as_ref().map(element)).collect();
    let list = List { ty, shape: shape.map(<[i64]>::to_vec), elements };
    Tensor::raw(ElementType::Variant, &[], &list.bytes())
}

/// Reads the tensors of a line.
struct Reader {
    /// The type of `T`.
    each: Option<ElementType>,
    /// Whether numbers represent elements of any type.
    any: bool,
}

impl Reader {
    fn ty(&self, name: &str) -> ElementType {
        if name == "T" { self.each.expect("the line has types") } else { type_of(name) }
    }

    fn element(&self, x: &str, name: &str) -> String {
        match self.ty(name) {
            _ if !self.any || name != "T" => x.to_owned(),
            ElementType::Bool => (x.parse::<u8>().expect("a small number") % 2).to_string(),
            C64 | C128 if x != "0" => format!("{x}+1i"),
            ElementType::String if x == "0" => String::new(),
            _ => x.to_owned(),
        }
    }

    /// The tensor of type `name` with `[shape]{data}`.
    fn plain(&self, name: &str, text: &str) -> Tensor {
        let parts = text.strip_prefix('[').and_then(|rest| rest.strip_suffix('}')?.split_once("]{"));
        let (shape, data) = parts.unwrap_or_else(|| panic!("'{name}{text}' is not a tensor"));
        let shape: Vec<i32> = numbers(shape);
        let count = shape.iter().product::<i32>() as usize;
        let data: Vec<String> = data.split(',').cycle().take(count).map(|x| self.element(x, name)).collect();
        made(self.ty(name), &shape, &data)
    }

    /// The list with `F32<shape>(elements)`.
    fn list(&self, text: &str) -> Option<Tensor> {
        let (name, rest) = text.split_once('<')?;
        let (shape, elements) = rest.strip_suffix(')')?.split_once(">(")?;
        let shape: Option<Vec<i64>> = (shape != "?").then(|| numbers(shape));
        let element = |x: &str| (x != "-").then(|| self.plain(name, x));
        let elements: Vec<_> = elements.split(';').filter(|x| !x.is_empty()).map(element).collect();
        Some(list_of(self.ty(name), shape.as_deref(), &elements))
    }

    fn tensor(&self, text: &str) -> Tensor {
        if let Some(bytes) = text.strip_prefix("Bytes:") {
            return Tensor::raw(ElementType::Variant, &[], bytes.as_bytes());
        }
        if let Some(list) = text.strip_prefix("List:") {
            return self.list(list).unwrap_or_else(|| panic!("'{text}' is not a list"));
        }
        let at = text.find('[').unwrap_or_else(|| panic!("'{text}' is not a tensor"));
        self.plain(&text[..at], &text[at..])
    }
}

/// Whether two tensors of one type are equal but for the last bits of reals. NaN equals NaN.
fn near(got: &Tensor, want: &Tensor) -> bool {
    match precision(want.ty()) {
        None => got.bytes() == want.bytes(),
        Some(bit) => parts(got).iter().zip(parts(want)).all(|(a, b)| {
            *a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 16.0 * bit * b.abs().max(1.0)
        }),
    }
}

/// The value of the lowest bit of 1.
fn precision(ty: ElementType) -> Option<f64> {
    Some(match ty {
        F16 => half::f16::EPSILON.to_f64(),
        BF16 => half::bf16::EPSILON.to_f64(),
        F32 | C64 => f32::EPSILON.into(),
        F64 | C128 => f64::EPSILON,
        _ => return None,
    })
}

/// The reals, or the parts of complex numbers.
fn parts(x: &Tensor) -> Vec<f64> {
    let parts: Result<Vec<f64>> = by_type!(x.ty(),
        float: T => Ok(x.elements::<T>().into_iter().map(Number::wide).collect()),
        complex: T => {
            Ok(x.elements::<T>().into_iter().map(Number::wide).flat_map(|z| [z.re, z.im]).collect())
        },
    );
    parts.unwrap()
}

/// Runs the node of a line once for each of its types.
///
/// # Errors
/// The node gives something else.
fn check(line: &'static str) -> core::result::Result<(), String> {
    let columns: Vec<&str> = line.split(" | ").collect();
    let (name, set) = columns[0].split_once(' ').unwrap_or((columns[0], ""));
    let op = crate::OPS.iter().find(|op| op.name == name).unwrap_or_else(|| panic!("{name} is unknown"));
    let options = attributes(columns[1]).unwrap_or_else(|| panic!("'{}' are not attributes", columns[1]));
    let each = if set.is_empty() { vec![None] } else { types(set).into_iter().map(Some).collect() };
    let list = |text: &'static str| text.split(' ').filter(|x| *x != "none");
    for each in each {
        let reader = Reader { each, any: set == "any" };
        let inputs: Vec<Tensor> = list(columns[2]).map(|x| reader.tensor(x)).collect();
        match columns[3..] {
            [outputs] => {
                let want: Vec<Tensor> =
                    list(outputs).map(|y| reader.tensor(y.trim_start_matches('~'))).collect();
                let types: Vec<ElementType> = want.iter().map(Tensor::ty).collect();
                let got = op.run(&options, &inputs, &types).map_err(|error| error.message().to_owned())?;
                for ((got, want), text) in got.iter().zip(&want).zip(list(outputs)) {
                    let agrees = got.bytes() == want.bytes() || text.starts_with('~') && near(got, want);
                    if got.shape() != want.shape() || !agrees {
                        return Err(format!("{inputs:?} give {got:?}, not {want:?}"));
                    }
                }
            }
            [outputs, message] => {
                let outputs: Vec<ElementType> = list(outputs).map(|y| reader.ty(y)).collect();
                let got = op.refusal(&options, &inputs, &outputs);
                if got != message {
                    return Err(format!("{inputs:?} give '{got}'"));
                }
            }
            _ => panic!("'{line}' must have four or five columns"),
        }
    }
    Ok(())
}

#[test]
fn all_cases() {
    let lines = include_str!("cases.txt").lines().zip(1..).filter(|(line, _)| !line.starts_with('#'));
    let wrong =
        |(line, number): (&'static str, i32)| Some(format!("{number}: {line}: {}", check(line).err()?));
    let wrong: Vec<String> = lines.filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
