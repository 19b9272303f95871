"""The starter kits: sample bots to copy, one per language.

A new bot gets copies of the protocol, its messages, schemas of facts and the rules. A kit's page
links to these in the source tree; in a bot it links to the copies. A link to a file that a bot does
not have, such as the referee's code, becomes plain text.
"""

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import courtyard.v1

from ladder.model.errors import LadderError
from ladder.storage.files.docs import packaged_docs
from referee.core.errors import UsageError
from referee.core.plain import plain as without_controls
from referee.core.plain import shortened
from referee.games import DEFAULT_GAME, game_named
from referee.hosting.bot_files import LeftOut
from referee.hosting.manifest import FILE_NAME, Manifest, load_manifest
from referee.hosting.sample_bots import has_sample_bots, sample_bot


@dataclass(frozen=True, slots=True)
class Kit:
    """The layout of a language's kit."""

    folder: str
    """The folder below `sample_bots`; `{game}` is the game's name."""
    code: str
    """The file that authors edit."""
    plain_code: str
    """That of the kit that speaks the plain dialect."""
    programs: tuple[str, ...] = ()
    """The programs needed to build and run it."""
    default_game: str | None = None
    """The default of a kit for one game; None if the kit plays all games."""


KITS: Mapping[str, Kit] = {
    "python": Kit("python/{game}/random", "bot.py", "bot.py", default_game=DEFAULT_GAME),
    "go": Kit("go", "strategy.go", "bot.go", ("go",)),
    "rust": Kit("rust", "src/strategy.rs", "src/main.rs", ("cargo",)),
    "cpp": Kit("cpp", "strategy.cpp", "bot.cpp", ("g++", "make", "protoc")),
    "java": Kit(
        *("java", "src/main/java/bot/Strategy.java", "src/main/java/bot/Bot.java"),
        programs=("javac",),
    ),
    "typescript": Kit("typescript", "src/strategy.ts", "src/bot.ts", ("npm",)),
    "shell": Kit("shell", "strategy.jq", "bot.sh", ("jq",)),
}
"""The kits by language."""
VENDOR_SCRIPT = "vendor.sh"
"""Fetches into a kit's folder what its build needs, so that it builds without a network."""
_VENDORED = frozenset({"vendor", "lib", "node_modules"})
"""The folders that these scripts make."""
_VENDOR_SECONDS = 300


def new_bot(folder: Path, source: Path, game: str | None) -> Manifest:
    """Copy a sample bot to a new folder, name the bot like it, and return its manifest.

    It plays the given game, by default those of the source. Raise `LadderError` or `UsageError`;
    then no folder is made.
    """
    if folder.exists():
        raise LadderError(f"{folder}: this already exists; choose another name")
    try:
        shutil.copytree(source, folder, symlinks=True, ignore=_left_out(source))
        _rename_in_sources(folder, load_manifest(source).name)
        _add_reference(folder)
        file = folder / FILE_NAME
        renamed = _renamed(file.read_text("utf-8"), folder.name, game)
        file.write_text(renamed, "utf-8", newline="\n")
    except OSError as error:
        raise LadderError(f"{error.filename or folder}: {error.strerror}") from error
    try:
        return load_manifest(folder)
    except UsageError:
        shutil.rmtree(folder)
        raise


def kit_folder(language: str, game: str | None, *, plain: bool = False) -> Path:
    """Return the folder of a language's kit; raise `LadderError` or `UsageError`.

    With `plain` it is the one that speaks the plain dialect, and plays every game.
    """
    if game is not None:
        game_named(game)
    if language not in KITS:
        known = ", ".join(KITS)
        raise LadderError(f"there is no kit for {language!r}, only for {known}")
    if plain:
        return sample_bot(f"plain/{language}")
    kit = KITS[language]
    return sample_bot(kit.folder.format(game=game or kit.default_game))


@dataclass(frozen=True, slots=True)
class Template:
    """A folder in which an author replaces one file."""

    folder: Path
    code: str
    """That file, relative to the folder."""
    title: str


@cache
def templates(game: str) -> Mapping[str, Template]:
    """Return the kits for a game that this machine builds as they are, without a network."""
    found: dict[str, Template] = {}
    typed = KITS if has_sample_bots(game) else {}
    for plain, languages in ((False, typed), (True, KITS)):
        for language, kit in languages.items():
            folder = kit_folder(language, game, plain=plain)
            if (folder / VENDOR_SCRIPT).exists() or not all(map(shutil.which, kit.programs)):
                continue
            name = load_manifest(folder).language
            title = f"{name}, plain: every game" if plain else f"{name} kit"
            code = kit.plain_code if plain else kit.code
            found[f"{language}-plain" if plain else language] = Template(folder, code, title)
    return found


def newest_template(folder: Path, bot: str) -> Template | None:
    """Return a version's folder as a template, if its code is where a kit has it."""
    named = (code for kit in KITS.values() for code in (kit.code, kit.plain_code))
    code = next((code for code in named if (folder / code).is_file()), None)
    return None if code is None else Template(folder, code, f"The newest version of {bot}")


def vendor(folder: Path) -> str:
    """Fetch what the build of a new bot needs; return why that failed, empty if it did not."""
    try:
        subprocess.run(
            ["sh", VENDOR_SCRIPT],
            cwd=folder,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_VENDOR_SECONDS,
        )
    except subprocess.CalledProcessError as error:
        output = error.stdout.decode(errors="replace").strip() or f"status {error.returncode}"
        return shortened(without_controls(output.splitlines()[-1]))
    except subprocess.TimeoutExpired:
        return f"it took more than {_VENDOR_SECONDS} s"
    except OSError as error:
        return f"sh: {error.strerror}"
    return ""


def _left_out(source: Path) -> Callable[[str, list[str]], set[str]]:
    """Return a filter for `shutil.copytree` of files that do not belong to the kit."""
    # A ladder takes the bot.toml alone of a remote bot, its author all.
    skip = LeftOut(replace(load_manifest(source), transport=""))
    root = source.resolve()

    def names(folder: str, names: list[str]) -> set[str]:
        below = Path(folder).resolve().relative_to(root)
        left_out = {name for name in names if skip((below / name).as_posix())}
        return left_out | (_VENDORED.intersection(names) if below == Path() else set())

    return names


def _rename_in_sources(folder: Path, old: str) -> None:
    """Write the folder's name where its files call the bot by its old one."""
    called = re.compile(rf'(?i)(name\b\\?"?[^"\n]*"){re.escape(old)}(?=\\?")'.encode())
    for file in folder.rglob("*"):
        if file.is_file() and file.name != FILE_NAME and file.suffix != ".md":
            source = file.read_bytes()
            renamed = called.sub(lambda found: found[1] + folder.name.encode(), source)
            if renamed != source:
                file.write_bytes(renamed)


def _renamed(manifest: str, name: str, game: str | None) -> str:
    """Return a bot.toml with this name and, if given, only this game."""
    renamed = re.sub(r"(?m)^name = .*$", lambda _: f'name = "{name}"', manifest, count=1)
    if game is None:
        return renamed
    return re.sub(r"(?m)^games = .*$", lambda _: f'games = ["{game}"]', renamed, count=1)


REFERENCE = "reference"
"""The folder of the copies in a bot, with the paths of the source tree."""

_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s#:]+)(#[^)\s]*)?\)")
_SOURCE_TREE = "../../"
"""The path from a kit's page to the source tree."""


def _add_reference(bot: Path) -> None:
    """Copy all of the reference into a bot; raise `OSError`."""
    docs = packaged_docs()
    target = bot / REFERENCE
    shutil.copytree(docs / "rules", target / "docs" / "rules")
    shutil.copytree(docs / "facts", target / "docs" / "facts")
    shutil.copy(docs / "protocol.md", target / "docs")
    messages = target / "proto" / "courtyard" / "v1"
    messages.mkdir(parents=True)
    for file in Path(courtyard.v1.__path__[0]).glob("*.proto"):
        shutil.copy(file, messages)
    for page in (*bot.glob("*.md"), *target.rglob("*.md")):
        text = _LINK.sub(partial(_link, page.parent), page.read_text("utf-8"))
        page.write_text(text, "utf-8", newline="\n")


def _link(folder: Path, link: re.Match[str]) -> str:
    """Return a page's link as it works in a bot, or its text if it leads nowhere."""
    text, path, part = link.groups(default="")
    if not (folder / path).exists():
        path = path.replace(_SOURCE_TREE, f"{REFERENCE}/", 1)
    return f"[{text}]({path}{part})" if (folder / path).exists() else text
