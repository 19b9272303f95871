"""The committed Python code of the protocol is what the .proto files give."""

import subprocess
import sys
from pathlib import Path


def generated(folder: Path) -> dict[str, bytes]:
    """The generated files below a folder, by their path in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*_pb2*.py*")
        if path.suffix in {".py", ".pyi"}
    }


def test_generated_code_is_what_the_proto_files_give(root: Path, tmp_path: Path) -> None:
    """Generating anew changes, adds and removes nothing."""
    script = root / "scripts" / "generate.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    committed, fresh = generated(root / "proto"), generated(tmp_path)
    assert sorted(committed) == sorted(fresh), (
        "run `make proto`, and remove what has no .proto file"
    )
    stale = [name for name in fresh if committed[name] != fresh[name]]
    assert not stale, "run `make proto` and commit what changed"
