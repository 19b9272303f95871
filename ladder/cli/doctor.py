"""What this machine has of all that Courtyard can use, and how to get what it lacks."""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ladder.cli.toolchains import NEEDED
from ladder.model.cores import cores
from ladder.storage.database import SQLITE_VERSION
from referee.sandbox.levels import offered, survey

_LEAST_FREE_GIB = 2
_GIB = 1024**3


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    what: str
    good: bool
    found: str
    """What there is, or what is lacking."""
    remedy: str = ""
    """What to do about what is lacking."""


def findings(folder: Path) -> Iterator[Finding]:
    """Yield what this machine has; the disk is that of the folder."""
    yield from _containment()
    yield from _machine(folder)
    for language in NEEDED:
        yield _language(language)


def _containment() -> Iterator[Finding]:
    levels = ", ".join(offered())
    yield Finding("levels of containment", good=True, found=f"{levels}; the first is used")
    for check in survey():
        found = check.gives if check.ok else f"{check.lacking} ({check.gives})"
        yield Finding(check.name, check.ok, found, check.advice)


def _machine(folder: Path) -> Iterator[Finding]:
    number = cores()
    enough = number > 1
    remedy = "" if enough else "matches share it with all else; give it a core more"
    yield Finding("cores", enough, f"{number}; so many matches at once", remedy)
    version = sys.version_info
    yield Finding("Python", good=True, found=f"{version.major}.{version.minor}.{version.micro}")
    yield Finding("SQLite", good=True, found=SQLITE_VERSION)
    free = shutil.disk_usage(folder).free / _GIB
    roomy = free >= _LEAST_FREE_GIB
    remedy = "" if roomy else f"make room: a build may need {_LEAST_FREE_GIB} GiB"
    yield Finding("disk", roomy, f"{free:.1f} GiB free here", remedy)


def _language(language: str) -> Finding:
    """Tell whether bots of a language can be built and run."""
    found, lacking, remedies = list[str](), list[str](), list[str]()
    for tool in NEEDED[language]:
        version = tool.version()
        if version and not tool.is_old(version):
            found.append(f"{tool.name} {version}")
            continue
        least = ".".join(map(str, tool.least))
        wrong = f"{version} is older than {least}" if version else "is not there"
        lacking.append(f"{tool.name} {wrong}")
        remedies.append(tool.remedy)
    return Finding(
        f"bots in {language}",
        good=not lacking,
        found=", ".join(lacking or found) or "the Python that runs this",
        remedy="; ".join(remedies),
    )
