//! Reads texts as lines of JSON, and writes a line for each: its tokens without a start token, and their text. Other
//! libraries' results can be compared with it.
//!
//! ```sh
//! echo '"Hello"' | cargo run -p arenite-text --example tokens -- tokenizer.json
//! ```

use std::error::Error;
use std::io;

use arenite_text::Tokenizer;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: tokens TOKENIZER < TEXTS")?;
    let tokenizer = Tokenizer::from_file(path.as_ref())?;
    for line in io::stdin().lines() {
        let text: String = serde_json::from_str(&line?)?;
        let ids = tokenizer.encode_more(&text)?;
        let back = String::from_utf8_lossy(&tokenizer.decode(&ids)?).into_owned();
        println!("{}", serde_json::to_string(&(ids, back))?);
    }
    Ok(())
}
