//! Makes Rust of the messages. Needs protoc: Debian's protobuf-compiler.

use std::{env, io};

const FILES: [&str; 5] = ["referee", "game", "courtisans", "miracles", "plain"];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-env-changed=COURTYARD_PROTO");
    let folder = env::var("COURTYARD_PROTO").unwrap_or("../../proto".into());
    let files = FILES.map(|name| format!("{folder}/courtyard/v1/{name}.proto"));
    for file in &files {
        println!("cargo::rerun-if-changed={file}");
    }
    prost_build::compile_protos(&files, &[folder])
}
