//! Makes Rust of the messages for the kit: `rust-messages PROTO FOLDER` writes FOLDER/courtyard.v1.rs.

use std::{env, io};

const FILES: [&str; 5] = ["referee", "game", "courtisans", "miracles", "plain"];

fn main() -> io::Result<()> {
    let given: Vec<String> = env::args().skip(1).collect();
    let files = FILES.map(|name| format!("{}/courtyard/v1/{name}.proto", given[0]));
    prost_build::Config::new().out_dir(&given[1]).compile_protos(&files, &given[..1])
}
