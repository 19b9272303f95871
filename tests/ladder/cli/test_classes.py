"""`ladder class`: a list of names becomes invitations and, later, results."""

import csv
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from ladder.model.matches import Played
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.scheduling.planner import planned_matches
from ladder.storage import tokens
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from tests.support.ladders import Command, Enter, MakeBot

LINK = "http://192.168.1.20:8000"
RANKS = {"ann": 1, "zoe-bot": 2, "bob": 2, "cat": 4}


@pytest.fixture
def names(tmp_path: Path) -> Path:
    """Write a class list with a heading, as a spreadsheet does."""
    file = tmp_path / "class.csv"
    file.write_text("class;name\n7b;Zoë Müller\n7b;=1+1\n", "utf-8-sig")
    return file


def links(page: Path) -> dict[str, str]:
    """Return the token on each sheet, by the name."""
    text = page.read_text("utf-8")
    found = zip(re.findall("<h1>(.*)</h1>", text), re.findall("/me/#([^<]+)<", text), strict=True)
    assert text.count("<svg") == text.count("<section>")
    return dict(found)


def test_a_list_becomes_invitations(command: Command, names: Path, tmp_path: Path) -> None:
    """`create` makes a ladder with yardsticks, and a sheet for each name that has none yet."""
    folder = tmp_path / "7b"
    first = command("class", "create", folder, "--names", names, "--link", f"{LINK}/")
    names.write_text(f"{names.read_text('utf-8-sig')}7b;Zoe Muller\n", "utf-8")
    again = command("class", "create", folder, "--names", names, "--link", LINK)

    assert (first.status, first.err, again.err) == (0, "", "")
    assert (
        f"serve --play --host 0.0.0.0 --port 8000 --trusted-network --ladder {folder}" in first.out
    )
    sheets = links(folder / "invitations.html")
    late = links(folder / "2invitations.html")
    assert (list(sheets), list(late)) == (["Zoë Müller", "=1+1"], ["Zoe Muller"])
    for file in ("invitations.html", "class.csv"):
        assert (folder / file).stat().st_mode & 0o77 == 0
    with Ladder.open(Home(folder)) as ladder:
        authors = [tokens.author_of(ladder, token) for token in (*sheets.values(), *late.values())]
        with ladder.database.read() as tx:
            house = {version.bot for version in bots.active(tx)}
    assert authors == ["zoe-muller", "1-1", "zoe-muller-2"]
    assert house == {"random", "greedy", "counter"}


def test_a_lost_invitation_is_replaced(command: Command, ladder: Ladder) -> None:
    """`invite` gives a member a new sheet, and the earlier one opens nothing any more."""
    folder = ladder.home.path
    for _ in range(2):
        words = ("class", "invite", "Zoë", "--link", LINK, "--ladder", folder)
        assert command(*words).status == 0

    (lost,) = links(folder / "invitations.html").values()
    (new,) = links(folder / "2invitations.html").values()
    assert tokens.author_of(ladder, lost) is None
    assert tokens.author_of(ladder, new) == "zoe"


def test_results_compare_with_the_house(
    command: Command,
    ladder: Ladder,
    make_bot: MakeBot,
    enter: Enter,
    played: Callable[..., Played],
) -> None:
    """The mark is the mean share of matches ahead of the owner's bots, ties counting half."""
    command("class", "invite", "Zoë", "=1+1", "--link", LINK, "--ladder", ladder.home.path)
    enter(ladder, make_bot("zoe-bot"), author="zoe")
    command("retire", "dan", "--ladder", ladder.home.path)
    with ladder.database.write() as tx:
        blocks = LadderPlanner(ladder, 1).plan(tx)
        assert blocks
        for match in planned_matches(ladder.settings, 1, blocks, bots.all_versions(tx)):
            ranks = [RANKS[version.bot] for version in match.seats if version]
            matches.add(tx, [match])
            matches.finish(tx, played(match, *ranks))

    shown = command("class", "results", "--csv", "--ladder", ladder.home.path).out
    page = ladder.home.path / "page.html"
    assert command("class", "results", "--html", page, "--ladder", ladder.home.path).status == 0

    zoe, other = csv.DictReader(StringIO(shown))
    assert (zoe["place"], zoe["bot"], zoe["mark"]) == ("1", "zoe-bot", "0.5")
    assert [zoe[bot] for bot in ("ann", "bob", "cat")] == ["0.0", "0.5", "1.0"]
    assert (other["name"], other["bot"], other["mark"]) == ("'=1+1", "", "")
    assert "<td>zoe-bot</td>" in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no name: write one on each line"),
        (b"name\n", "no name: write one on each line"),
        (b"Ann\nBob\nAnn\n", "twice in the list: Ann; tell them apart"),
        (b"M\xfcller\n", 'not in UTF-8: save it as "CSV UTF-8"'),
        (b"x" * ((1 << 20) + 1), "more than 1 MiB: this is no list of names"),
        (b"x" * (1 << 18), "not a list of names: field larger than field limit (131072)"),
        (None, "No such file or directory"),
    ],
)
def test_a_faulty_list_makes_nothing(
    command: Command, tmp_path: Path, content: bytes | None, words: str
) -> None:
    """One line says what is wrong, and no ladder is made."""
    file = tmp_path / "names"
    if content is not None:
        file.write_bytes(content)

    ended = command("class", "create", tmp_path / "7b", "--names", file, "--link", LINK)

    assert (ended.status, ended.err) == (1, f"error: {file}: {words}\n")
    assert not (tmp_path / "7b").exists()
