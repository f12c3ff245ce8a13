//! Models as Rust source: two that share an arena, one with the ops of keyword recognition, one with a loop, one with a
//! variable, one with random numbers. `tests/same_bytes.rs` compares their bytes with those of the reference ops, and
//! `tests/micro/test.sh rust` runs them on an emulated board.
#![no_std]
#![forbid(unsafe_code)]

use arenite_micro::embedded::{Arena, Status};

/// The arena of both models for digits.
static ARENA: Arena<{ larger(digits_f32::ARENA_BYTES, digits_i8::ARENA_BYTES) }> = Arena::new();

const fn larger(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// A value that a model took or gave.
pub struct Value<'v> {
    /// The model.
    pub model: &'v str,
    /// Whether it is an input.
    pub is_input: bool,
    /// Its index.
    pub index: usize,
    /// Its bytes.
    pub bytes: &'v [u8],
}

/// Why a model did not run.
#[derive(Debug)]
pub enum Failure {
    /// It could not be taken, or was taken twice.
    Taken,
    /// A node failed.
    Node(Status),
}

macro_rules! models {
    ($($name:ident: $file:literal, |$model:ident| $fill:block)*) => {
        $(
            /// The generated file.
            pub mod $name {
                arenite_micro::include_model!($file);
            }
        )*

        /// Runs each model twice from the start, and shows its inputs and outputs.
        ///
        /// # Errors
        /// A model did not run.
        pub fn run_all(show: &mut dyn FnMut(&Value<'_>)) -> Result<(), Failure> {
            $({
                let mut $model = $name::Model::take().ok_or(Failure::Taken)?;
                $model.reset();
                for _ in 0..2 {
                    $fill
                    let mut index = 0;
                    while let Some(bytes) = $model.input(index) {
                        show(&Value { model: stringify!($name), is_input: true, index, bytes });
                        index += 1;
                    }
                    $model.run().map_err(Failure::Node)?;
                    index = 0;
                    while let Some(bytes) = $model.output(index) {
                        show(&Value { model: stringify!($name), is_input: false, index, bytes });
                        index += 1;
                    }
                }
            })*
            Ok(())
        }
    };
}

models! {
    digits_f32: "digits_f32", |model| {
        *model.input_0() = core::array::from_fn(|i| (i % 7) as f32 / 7.0);
    }
    digits_i8: "digits_i8", |model| {
        *model.input_0() = core::array::from_fn(|i| (i % 251) as u8 as i8);
    }
    words: "words", |model| {
        model.input(0).into_iter().flatten().enumerate().for_each(|(i, byte)| *byte = (i % 13) as u8);
    }
    swaps: "swaps", |model| {
        *model.input_0() = [0];
        *model.input_1() = [1.0, 2.0, 3.0];
        *model.input_2() = [4.0, 5.0, 6.0];
    }
    doubles: "doubles", |model| {}
    draws: "draws", |model| {
        *model.input_0() = [0.5, 1.5, -1.0];
    }
}
