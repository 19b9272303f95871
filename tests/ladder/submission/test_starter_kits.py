"""`ladder new-bot` makes a bot from a starter kit."""

import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ladder.cli.doctor import NEEDED, findings
from ladder.submission import starter_kits
from ladder.submission.starter_kits import KITS
from referee.hosting.manifest import load_manifest
from referee.hosting.sample_bots import sample_bot
from tests.support.games import GAMES
from tests.support.links import dead_links

VENDOR = starter_kits.vendor


@pytest.fixture(autouse=True)
def vendored(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Collect for which bots packages are fetched, instead of fetching them."""
    found: list[Path] = []

    def fetch(folder: Path) -> str:
        found.append(folder)
        return ""

    monkeypatch.setattr(starter_kits, "vendor", fetch)
    return found


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("language", KITS)
def test_each_language_has_a_kit(command: Callable[..., Any], language: str) -> None:
    """The new bot has its own name, and the printed next steps begin with its requirements."""
    ended = command("new-bot", "my-bot", "--language", language)

    assert ended.status == 0, ended.err
    manifest = load_manifest(Path("my-bot"))
    assert manifest.name == "my-bot"
    assert ("referee build my-bot" in ended.out) == bool(manifest.build)
    for step in ("referee play --game courtisans my-bot", "referee check my-bot", "submit my-bot"):
        assert step in ended.out


@pytest.mark.parametrize("language", ["go", "rust", "java", "typescript"])
def test_a_new_bot_has_what_its_build_needs(
    command: Callable[..., Any], vendored: list[Path], language: str
) -> None:
    """Its packages are fetched at once, as the builds of a ladder have no network."""
    ended = command("new-bot", "my-bot", "--language", language)

    assert vendored == [Path("my-bot")]
    assert "cd my-bot && sh vendor.sh" in ended.out


def test_packages_that_cannot_be_fetched(
    command: Callable[..., Any], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot is made, and the output says why they are missing and what to run later."""
    monkeypatch.setattr(starter_kits, "vendor", VENDOR)
    monkeypatch.setenv("PATH", str(here))
    (here / "sh").write_text("#!/bin/sh\necho one\necho no network\nexit 1\n")
    (here / "sh").chmod(0o755)

    ended = command("new-bot", "my-bot", "--language", "go")

    assert ended.status == 0
    assert "That failed: no network. Run it before you build or submit the bot." in ended.out
    assert Path("my-bot/bot.toml").is_file()


@pytest.mark.parametrize("flags", [(), ("--plain",)])
@pytest.mark.parametrize("language", KITS)
def test_a_new_bot_is_called_by_its_name_everywhere(
    command: Callable[..., Any], language: str, flags: tuple[str, ...]
) -> None:
    """No source file still calls the bot by the name of its kit."""
    kit = starter_kits.kit_folder(language, None, plain=bool(flags))
    old = load_manifest(kit).name
    command("new-bot", "my-bot", "--language", language, *flags)

    files = [file for file in Path("my-bot").rglob("*") if file.is_file()]
    sources = [f for f in files if f.suffix != ".md" and "reference" not in f.parts]
    left = [line for f in sources for line in f.read_text().splitlines() if f'"{old}' in line]
    assert [line for line in left if "name" in line.lower() and "my-bot" not in line] == []


@pytest.mark.parametrize("language", KITS)
def test_a_new_bot_has_what_its_pages_link_to(command: Callable[..., Any], language: str) -> None:
    """A new bot contains the protocol, its messages and the rules."""
    ended = command("new-bot", "my-bot", "--language", language)

    bot = Path("my-bot").resolve()
    pages = {page.relative_to(bot).as_posix(): page for page in bot.rglob("*.md")}
    assert "my-bot/reference holds the protocol and the rules." in ended.out
    rules = {f"reference/docs/rules/{game}.md" for game in GAMES}
    assert {"reference/docs/protocol.md", *rules} <= pages.keys()
    assert {name: dead for name, page in pages.items() if (dead := dead_links(page))} == {}
    assert (bot / "reference/proto/courtyard/v1/referee.proto").is_file()
    if "README.md" in pages:
        assert "](reference/docs/rules)" in pages["README.md"].read_text()


def test_a_plain_bot_plays_every_game(command: Callable[..., Any]) -> None:
    """The output says so, and the next steps name a game that is installed."""
    ended = command("new-bot", "my-bot", "--language", "python", "--plain")

    assert load_manifest(Path("my-bot")).games == ("*",)
    assert "a bot in python that plays every game at random" in ended.out
    assert f"referee play --game {GAMES[0]} my-bot" in ended.out


def test_a_copy_of_a_remote_bot_is_whole(command: Callable[..., Any]) -> None:
    """Its program stays with the author, who starts it: a ladder gets the bot.toml alone."""
    ended = command("new-bot", "my-model", "--from", "llm")

    assert ended.status == 0, ended.err
    assert {"bot.py", "chat.py", "README.md"} <= {file.name for file in Path("my-model").iterdir()}
    assert 'default="my-model"' in Path("my-model/bot.py").read_text()
    assert "submit my-model" in ended.out
    assert "referee play" not in ended.out


@pytest.mark.parametrize("game", GAMES)
def test_a_copy_of_a_sample_bot(command: Callable[..., Any], game: str) -> None:
    """`--from` copies the one of this game under the new name."""
    ended = command("new-bot", "rival", "--from", "greedy", "--game", game)

    assert f"a bot in Python that plays {game} like greedy" in ended.out
    manifest = load_manifest(Path("rival"))
    assert (manifest.name, manifest.games) == ("rival", (game,))
    sample = sample_bot(f"python/{game}/greedy") / "bot.py"
    assert Path("rival/bot.py").read_text() == sample.read_text().replace('"greedy"', '"rival"')


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", ["python", "shell"])
def test_a_bot_for_one_game(command: Callable[..., Any], language: str, game: str) -> None:
    """The bot's manifest names the requested game only."""
    command("new-bot", "my-bot", "--language", language, "--game", game)

    assert load_manifest(Path("my-bot")).games == (game,)


def test_wheels_have_all_kits() -> None:
    """An installed Courtyard contains each kit, without build results."""
    root = Path(starter_kits.__file__).parents[2]
    wheel = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"][
        "targets"
    ]["wheel"]
    for language in KITS:
        for game in GAMES:
            folder = starter_kits.kit_folder(language, game).relative_to(root)
            (source,) = {p.as_posix() for p in (folder, *folder.parents)} & {*wheel["sources"]}
            place = Path("referee", source).as_posix()
            assert wheel["sources"][source] == place
            assert source in wheel["only-include"]
        ignored = root / folder / ".gitignore"
        for line in ignored.read_text().splitlines() if ignored.is_file() else ():
            if not line.startswith("#"):
                paths = {f"/{folder}{line.rstrip('/')}", f"/sample_bots/*{line.rstrip('/')}"}
                assert paths & {*wheel["exclude"]}, line


def test_wheels_have_what_new_bots_read() -> None:
    """An installed Courtyard contains the protocol, the rules, schemas and the plain bots."""
    root = Path(starter_kits.__file__).parents[2]
    wheel = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"][
        "targets"
    ]["wheel"]
    read = {"docs/facts", "docs/protocol.md", "docs/rules", "proto/courtyard", "sample_bots/plain"}
    assert read <= {*wheel["only-include"]}
    assert wheel["sources"]["sample_bots/plain"] == "referee/sample_bots/plain"
    assert wheel["sources"]["docs"] == "ladder/kit_files/docs"


def test_nothing_that_was_built_is_copied(here: Path) -> None:
    """Files named by the kit's .gitignore and Python's caches are not copied."""
    kit = here / "kits" / "go"
    shutil.copytree(starter_kits.kit_folder("shell", None), kit)
    (kit / ".gitignore").write_text("/build/\n")
    for made in ("build/bot", "__pycache__/bot.pyc", "src/build/kept"):
        (kit / made).parent.mkdir(parents=True)
        (kit / made).touch()

    starter_kits.new_bot(here / "new", kit, None)

    assert sorted(path.name for path in (here / "new").iterdir()) == sorted(
        [".gitignore", "reference", "src", *(path.name for path in kits_files(kit))]
    )
    assert (here / "new" / "src" / "build" / "kept").exists()


def kits_files(kit: Path) -> list[Path]:
    """Return the files at the top of a kit that Git tracks."""
    return [path for path in kit.iterdir() if path.is_file() and path.name != ".gitignore"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("my-bot", "--language", "cobol"), "no kit for 'cobol', only for python, go,"),
        (("there", "--language", "shell"), "there: this already exists; choose another name"),
        (("My Bot", "--language", "shell"), 'name "My Bot": use 1 to 32 of a-z'),
        (("my-bot", "--language", "shell", "--game", "chess"), "no game 'chess'"),
        (("my-bot", "--from", "greed"), "no sample bot 'greed', only counter, greedy, "),
        (("my-bot", "--from", "greedy", "--plain"), "say either --language, "),
        (("my-bot",), "say either --language, "),
        (("no/where/bot", "--language", "shell"), ""),
    ],
)
def test_what_cannot_be_made(
    command: Callable[..., Any], here: Path, arguments: tuple[str, ...], said: str
) -> None:
    """A bot that cannot be made is refused in one line, and no folder is made."""
    (here / "there").mkdir()

    ended = command("new-bot", *arguments)

    if said:
        assert ended.status == 1
        assert ended.err.startswith("error: ")
        assert ended.err.count("\n") == 1
        assert said in ended.err
        assert [path.name for path in here.iterdir()] == ["there"]
    else:
        assert load_manifest(here / "no" / "where" / "bot").name == "bot"


def test_doctor_knows_every_language() -> None:
    """`ladder doctor` checks the requirements of each kit."""
    assert NEEDED.keys() == KITS.keys()


def test_doctor_says_what_to_do(
    command: Callable[..., Any], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every missing requirement has a remedy, even on a machine without any tools."""
    monkeypatch.setenv("PATH", str(here))

    ended = command("doctor")

    assert ended.status == 0
    assert "install Go from https://go.dev/dl" in ended.out
    assert "apt-get install jq" in ended.out
    for finding in findings(here):
        assert finding.good or finding.remedy, finding


@pytest.mark.costly
def test_doctor_tells_old_tools(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A toolchain that is too old for the kit counts as missing."""
    for name in ("jq", "node"):
        (here / name).write_text(f"#!/bin/sh\necho {name}-1.5\n")
        (here / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{here}:/bin")

    found = {finding.what: finding for finding in findings(here)}

    assert not found["bots in shell"].good
    assert "jq 1.5 is older than 1.6" in found["bots in shell"].found
    assert "Node 1.5 is older than 18" in found["bots in typescript"].found
