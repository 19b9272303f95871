"""Generates the Python code of the protocol from its .proto files.

Usage: python scripts/generate.py [FOLDER]. The code goes to FOLDER, or beside the .proto files.
"""

import re
import sys
from pathlib import Path

from grpc_tools import protoc

PROTO = Path(__file__).parent.parent / "proto"
WELL_KNOWN = Path(protoc.__file__).parent / "_proto"
"""The messages of google.protobuf, which come with the compiler."""


def generate(target: Path) -> None:
    """Write the code of every .proto file below `target`, in the folders of their packages.

    Only files that define a service get a `_pb2_grpc.py`: elsewhere it would be empty.
    """
    sources = sorted(PROTO.rglob("*.proto"))
    services = [
        path for path in sources if re.search(r"^service\b", path.read_text(), re.MULTILINE)
    ]
    _protoc(sources, f"--python_out={target}", f"--pyi_out={target}")
    _protoc(services, f"--grpc_python_out={target}")


def _protoc(sources: list[Path], *options: str) -> None:
    names = [path.relative_to(PROTO).as_posix() for path in sources]
    if protoc.main(["protoc", f"-I{PROTO}", f"-I{WELL_KNOWN}", *options, *names]):
        sys.exit("protoc refused the .proto files; its message is above")


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else PROTO)
