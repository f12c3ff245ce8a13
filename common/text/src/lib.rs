//! Text for language models: a [`Tokenizer`], a chat [`Template`], and a [`Conversation`] that takes text and answers
//! with text.
//!
//! ```no_run
//! # fn main() -> arenite_text::Result<()> {
//! use arenite_language::{Sampler, Sampling, Session};
//! use arenite_text::{Conversation, Request, Tokenizer};
//!
//! let model = arenite::Model::from_file("model.tflite").map_err(arenite_language::Error::from)?;
//! let interpreter = arenite::Interpreter::builder(&model).build().map_err(arenite_language::Error::from)?;
//! let session = Session::new(interpreter)?;
//! let tokenizer = Tokenizer::from_file("tokenizer.json".as_ref())?;
//! let mut conversation = Conversation::new(session, tokenizer)?;
//! let mut sampler = Sampler::new(&Sampling::default())?;
//! let answer = conversation.answer("Once upon a time", &mut sampler, &Request::of(20), &mut |_| true)?;
//! println!("{}", answer.text);
//! # Ok(()) }
//! ```
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod container;
mod conversation;
mod definition;
mod error;
mod files;
mod pieces;
mod sentencepiece;
mod settings;
mod special;
mod template;
mod tokenizer;

pub use conversation::{Answer, Conversation, End, Request};
pub use error::{Error, Result};
pub use files::find_tokenizer;
pub use pieces::Pieces;
pub use settings::Settings;
pub use template::{Affixes, Message, Role, Template};
pub use tokenizer::Tokenizer;
