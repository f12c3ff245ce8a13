//! `manual FOLDER`: writes the program's manual to `FOLDER/man/man1`, and shell completions to `FOLDER/bash`,
//! `FOLDER/zsh` and `FOLDER/fish`, from the description of its command line.
#![forbid(unsafe_code)]

use std::fs;
use std::io::{Error, Result};
use std::path::Path;

use clap_complete::Shell;

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).ok_or_else(|| Error::other("usage: manual FOLDER"))?;
    let folder = Path::new(&folder);
    let mut command = arenite_cli::command();
    let pages = folder.join("man/man1");
    fs::create_dir_all(&pages)?;
    clap_mangen::generate_to(command.clone(), pages)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let folder = folder.join(shell.to_string());
        fs::create_dir_all(&folder)?;
        clap_complete::generate_to(shell, &mut command, "arenite", folder)?;
    }
    Ok(())
}
