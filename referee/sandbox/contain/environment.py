"""The environment of a program in a sandbox: its own variables and the essential ones."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from referee.sandbox.toolchains import SYSTEM_PATH, toolchains

_OF_THE_NETWORK = (
    *("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "CARGO_HTTP_CAINFO"),
    *("CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PIP_CERT"),
)
"""Variables that name the proxy and certificates of a company network."""


def environment(
    own: Mapping[str, str], *, home: str, network: bool, path: Sequence[str] = SYSTEM_PATH
) -> dict[str, str]:
    """Return the whole environment of a program; `path` follows the referee's Python in PATH.

    `python3` is the referee's own; Python writes no caches and does not buffer output. Nothing else
    of the referee's environment passes.
    """
    names = ("LANG", "LC_ALL", *(_OF_THE_NETWORK if network else ()))
    # A proxy's address may hold a password.
    passed = {name: os.environ[name] for name in names if "@" not in os.environ.get(name, "@")}
    return {
        "PATH": os.pathsep.join(dict.fromkeys((*_programs(), *path))),
        "HOME": home,
        "TMPDIR": home,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        **passed,
        **own,
    }


def certificates() -> tuple[Path, ...]:
    """Return the existing files and folders that the network variables name."""
    named = (Path(os.environ[name]) for name in _OF_THE_NETWORK if name in os.environ)
    return tuple({path for path in named if path.is_absolute() and path.exists()})


def _programs() -> tuple[str, ...]:
    return (
        str(Path(sys.executable).parent),
        *(str(toolchain.programs) for toolchain in toolchains()),
    )
