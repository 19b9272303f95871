"""The Rust kit has the messages as they are in proto/."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sample_bots.kits.conftest import PROTO, SAMPLE_BOTS
from tests.support.lacking import need_program, skip


@pytest.mark.proof
def test_the_messages_are_up_to_date(tmp_path: Path, lacking: Callable[[str], str]) -> None:
    """What `scripts/rust_messages` makes of the .proto files is the kit's src/pb.rs."""
    need_program("protoc", "apt-get install protobuf-compiler")
    if remedy := lacking("rust"):
        skip("the toolchain of the kit for rust is not complete", remedy)
    generator = SAMPLE_BOTS.parent / "scripts" / "rust_messages" / "Cargo.toml"
    build = ["cargo", "run", "--quiet", "--locked", "--manifest-path", str(generator)]
    target = ["--target-dir", str(tmp_path / "target")]
    environment = {**os.environ, "CARGO_PROFILE_DEV_DEBUG": "0"}  # quicker to build
    command = [*build, *target, "--", str(PROTO), str(tmp_path)]
    subprocess.run(command, check=True, env=environment)

    made = (tmp_path / "courtyard.v1.rs").read_text()
    assert made == (SAMPLE_BOTS / "rust/src/pb.rs").read_text()
