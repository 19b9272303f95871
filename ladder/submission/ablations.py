"""The copy of a bot that an ablation needs: the same files under another name."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

from ladder.model.errors import LadderError
from ladder.storage.files.builds import make_writable
from ladder.submission.entrants import Entrant
from referee.core import folders
from referee.hosting.bot_files import LeftOut
from referee.hosting.manifest import FILE_NAME, Manifest, load_manifest

COPY = "-copy"
"""Behind the bot's name."""
_LONGEST = 32
_NAME = re.compile(r"^name\s*=.*$", re.MULTILINE)


def copied(entrant: Entrant, folder: Path) -> Entrant:
    """Return a copy of a bot in a folder, made there unless it is; only the name differs.

    Raise `LadderError` if its bot.toml has no line of its own for the name.
    """
    if not folder.is_dir():
        draft = folder.with_suffix(".new")
        folders.remove(draft)
        _copy(load_manifest(entrant.folder), draft)
        draft.rename(folder)
    return Entrant(folder, load_manifest(folder).name, str(folder))


def _copy(manifest: Manifest, folder: Path) -> None:
    name = f"{manifest.name[: _LONGEST - len(COPY)]}{COPY}"
    left_out = LeftOut(manifest)

    def skipped(parent: str, names: list[str]) -> list[str]:
        above = Path(parent).relative_to(manifest.directory)
        return [each for each in names if left_out((above / each).as_posix())]

    shutil.copytree(manifest.directory, folder, symlinks=True, ignore=skipped)
    make_writable(folder)
    file = folder / FILE_NAME
    file.write_text(_NAME.sub(f'name = "{name}"', file.read_text("utf-8"), count=1), "utf-8")
    copy = load_manifest(folder)
    if replace(copy, name=manifest.name, directory=manifest.directory) != manifest:
        raise LadderError(f'{manifest.directory / FILE_NAME}: write `name = "..."` on its own line')
