"""Builds versions in a copy of their stored files, and again if a build is lost.

One rename puts a build in place when all its steps are done: a digest has a whole build or none.
The build then belongs to the ladder alone, and no other user can write to it.
"""

import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ladder.model.bots import Version
from ladder.model.errors import BundleError
from ladder.storage.files.bundles import is_folder
from ladder.storage.files.folder import Home
from referee.core import folders
from referee.hosting.build import Built, Say, build
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level


def directory(home: Home, digest: str, steps: Sequence[Sequence[str]]) -> Path:
    """Return the folder in which such a version runs."""
    return home.built(digest) if steps else home.bundle(digest)


def make(
    home: Home,
    digest: str,
    steps: Sequence[Sequence[str]],
    level: Level,
    *,
    network: bool,
    say: Say,
    on_output: Say = lambda _: None,
) -> Built:
    """Build the stored files of this digest anew; replace the last build.

    `on_output` gets what the build prints. The caller must hold `home.submitting` and
    `home.using`.
    """
    with _draft(home, digest) as tree:
        shutil.copytree(home.bundle(digest), tree, symlinks=True)
        make_writable(tree)
        built = build(
            steps,
            tree,
            open_sandbox(level),
            network=network,
            on_command=say,
            on_output=on_output,
        )
        if not built.failure:
            _put(tree, home, digest)
    return built


def take_over(home: Home, digest: str, other: Home) -> bool:
    """Copy another ladder's build of these files; return whether it has one.

    The caller must hold what `make` needs.
    """
    if not is_folder(other.built(digest)):
        return False
    try:
        with _draft(home, digest) as tree:
            shutil.copytree(other.built(digest), tree, symlinks=True)
            _put(tree, home, digest)
    except BundleError:  # perhaps the other ladder has just removed it
        return False
    return True


@contextmanager
def _draft(home: Home, digest: str) -> Iterator[Path]:
    """Yield where to prepare a build; what is left there goes in the end."""
    draft = home.bots / f".build-{digest}"
    try:
        folders.remove(draft)
        draft.mkdir(mode=0o700)
        yield draft / "bot"
    except OSError as error:
        raise BundleError(f"{error.filename or draft}: {error.strerror or error}") from error
    finally:
        folders.remove(draft)


def _put(tree: Path, home: Home, digest: str) -> None:
    """Put a finished build in its place."""
    _settle(tree)
    _make_room(home.built(digest))
    os.sync()
    tree.rename(home.built(digest))


def mend(
    home: Home,
    versions: Iterable[Version],
    level: Level,
    *,
    may_use_network: Callable[[Version], bool],
    say: Say,
) -> Iterator[tuple[Version, str]]:
    """Rebuild the lost builds of these versions, whose files are whole.

    Yield those for which that fails, and why, as words that follow "its files".
    """
    lost = [v for v in versions if v.build and not is_folder(home.built(v.digest))]
    if not lost:
        return
    with home.submitting(say):
        for version in lost:
            say(f"The build of {version} is missing: it is built again.")
            network = may_use_network(version)
            try:
                with home.using(version.digest):
                    built = make(
                        home, version.digest, version.build, level, network=network, say=say
                    )
            except BundleError as error:
                yield version, f"cannot be built any more: {error}"
                continue
            if built.failure:
                why = f"{built.failure}{without_network(level, network=network)}"
                yield version, f"cannot be built any more: {why}"


def without_network(level: Level, *, network: bool) -> str:
    """Return a possible reason why a build fails here but not at its author's."""
    if network or level is Level.TRUSTED:
        return ""
    return (
        "; this build had no network: the ladder's owner can allow it for their own bots with "
        "`ladder settings --build-network owner`, for all authors' with `--build-network everyone` "
        "(and confirm a folder from elsewhere by `ladder trust`)"
    )


def _make_room(place: Path) -> None:
    """Remove an earlier build, or what somebody has put in its place."""
    if is_folder(place):
        folders.remove(place)
    else:
        place.unlink(missing_ok=True)


def make_writable(tree: Path) -> None:
    """Let a program write in this copy of read-only stored files."""
    for path in (tree, *tree.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | stat.S_IWUSR)


def _settle(tree: Path) -> None:
    """Let all users read a finished build, and none write to it.

    Clear special mode bits; remove all but files, folders and links.
    """
    tree.chmod(0o755)
    for path, inner, names in os.walk(tree):
        for name in (*inner, *names):
            _settle_one(Path(path, name))


def _settle_one(path: Path) -> None:
    mode = path.lstat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)):
        path.unlink()
        return
    if stat.S_ISDIR(mode):
        path.chmod(0o755)
    elif stat.S_ISREG(mode):
        path.chmod(0o555 if mode & 0o111 else 0o444)
