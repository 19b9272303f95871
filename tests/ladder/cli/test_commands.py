"""The command `ladder`: its output; every error is one line with exit status 1."""

import csv
import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from ladder.cli import show
from ladder.model.matches import PlannedMatch, Played
from ladder.model.settings import BuildNetwork
from ladder.results import queries, rerating
from ladder.results.older import Older
from ladder.results.standings import rating, standings
from ladder.results.strengths import Found, rating_of_record
from ladder.runner.report import Report
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from referee.sandbox.levels import offered
from referee.sandbox.program import Level

Command = Callable[..., Any]
MakeBot = Callable[..., Path]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clear the environment of any ladder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COURTYARD_LADDER", raising=False)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def full(ladder: Ladder, played: Callable[..., Played]) -> Ladder:
    """A ladder with two finished matches and one planned."""
    with ladder.database.write() as tx:
        four = tuple(bots.active(tx))
        planned = [
            PlannedMatch("1a" * 16, 1, 0, four),
            PlannedMatch("2b" * 16, 2, 0, four[::-1]),
            PlannedMatch("2c" * 16, 3, 0, (None, *four[:3])),
        ]
        matches.add(tx, planned)
        matches.finish(tx, played(planned[0], 1, 2, 3, 4))
        matches.finish(tx, played(planned[1], 4, 3, 1, 1, forfeits=(0,)))
    return ladder


def refused(ended: Any, *words: str) -> None:
    """Check that a command failed with these words in one line."""
    assert ended.status == 1
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    for word in words:
        assert word in ended.err


def test_init_makes_a_ladder(command: Command, tmp_path: Path) -> None:
    """A new ladder stores the requested game, seats, settings and clock."""
    ended = command(
        *("init", "club", "--seats", "3", "--set", "reveal_eliminated_spies=true"),
        *("--decision-limit", "1.5", "--bank", "20", "--increment", "0", "--startup", "7"),
    )

    assert ended.status == 0
    assert "Courtisans for 3 seats" in ended.out
    with Ladder.open(Home(tmp_path / "club")) as ladder:
        settings = ladder.settings
    assert (settings.game, settings.seats) == ("courtisans", 3)
    assert settings.config == {"reveal_eliminated_spies": True}
    clock = settings.clock
    assert (clock.decision_limit_ms, clock.bank_ms) == (1500, 20_000)
    assert (clock.increment_ms, clock.startup_ms) == (0, 7000)


def test_secret_is_secret(command: Command, tmp_path: Path) -> None:
    """The secret is 32 random bytes, is not printed, and only the owner may read its file."""
    ended = command("init", "club")
    home = Home(tmp_path / "club")
    with Ladder.open(home) as ladder:
        secret = ladder.settings.secret

    assert len(bytes.fromhex(secret)) == 32
    assert secret not in ended.out + ended.err
    assert secret not in repr(ladder.settings)
    assert home.database.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--game", "chess"), "no game 'chess'"),
        (("--seats", "6"), "2 to 5 seats"),
        (("--set", "colour=red"), "colour"),
        (("--set", "reveal"), "KEY=VALUE"),
        (("--bank", "0"), "the clock's bank is 0 s: it must be from 0.001 to 86400 s"),
        (("--startup", "1e300"), "the clock's startup is 1e+300 s: it must be from 0.001 to 86400"),
        (("--bank", "nan"), "nan"),
        (("--seats", "many"), "--seats"),
    ],
)
def test_init_with_wrong_settings(
    command: Command, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    """A wrong setting fails in one line, and `init` makes no ladder."""
    refused(command("init", "club", *arguments), said)

    assert not (tmp_path / "club" / "ladder.db").exists()


@pytest.mark.parametrize("level", Level)
def test_init_says_how_bots_are_contained(command: Command, tmp_path: Path, level: Level) -> None:
    """`init` prints and stores the requested level; an unavailable one makes no ladder."""
    ended = command("init", "club", "--sandbox", level, "--build-network", "everyone")

    if level not in offered():
        refused(ended, f"bots cannot run at the level {level}")
        assert not (tmp_path / "club").exists()
        return
    assert level in ended.out
    assert ("nothing against a hostile bot" in ended.out) == (level is Level.TRUSTED)
    with Ladder.open(Home(tmp_path / "club")) as ladder:
        assert (ladder.settings.sandbox, ladder.settings.build_network) == (
            level,
            BuildNetwork.EVERYONE,
        )


def test_init_takes_the_best_level(command: Command, tmp_path: Path) -> None:
    """By default the ladder uses the best level of the machine that runs it, and prints it."""
    ended = command("init", "club")

    assert offered()[0] in ended.out
    with Ladder.open(Home(tmp_path / "club")) as ladder:
        assert (ladder.settings.sandbox, ladder.settings.build_network) == (
            None,
            BuildNetwork.OWNER,
        )


def test_init_where_there_is_one(command: Command, home: Home) -> None:
    """`init` refuses to overwrite a ladder."""
    before = home.database.read_bytes()

    refused(command("init", home.path), "this folder already holds a ladder")

    assert home.database.read_bytes() == before


def test_init_where_nothing_can_be_made(command: Command, tmp_path: Path) -> None:
    """`init` refuses a path that cannot be a folder."""
    (tmp_path / "file").touch()

    refused(command("init", tmp_path / "file"), "file")


def test_submit_tells_what_became(command: Command, home: Home, make_bot: MakeBot) -> None:
    """`submit` reports a new, unchanged, changed or restored version."""
    here = ("--ladder", home.path)

    assert "ann version 1 plays." in command("submit", make_bot("ann"), *here).out
    assert "ann is unchanged" in command("submit", make_bot("ann"), *here).out
    changed = command("submit", make_bot("ann", "better"), *here).out
    assert "ann version 2 plays; it replaces version 1." in changed
    again = command("submit", make_bot("ann"), *here).out
    assert "ann version 3 plays, with files submitted before; it replaces version 2." in again


def test_retired_bot_returns(command: Command, home: Home, make_bot: MakeBot) -> None:
    """`bots` marks a retired bot; submitting it again returns it to play."""
    here = ("--ladder", home.path)
    command("submit", make_bot("ann"), *here)

    assert command("retire", "ann", *here).out == "ann is retired.\n"
    assert "retired" in command("bots", *here).out
    assert command("retire", "ann", *here).out == "ann was already retired.\n"
    assert "(the bot was retired)" in command("submit", make_bot("ann"), *here).out
    assert "retired" not in command("bots", *here).out


def test_submit_many(command: Command, home: Home, make_bot: MakeBot) -> None:
    """`submit` takes several bots at once, by folder or by bot.toml."""
    command("submit", make_bot("ann"), make_bot("bob") / "bot.toml", "--ladder", home.path)

    with Ladder.open(home) as ladder:
        assert [tally.version.bot for tally in queries.tallies(ladder)] == ["ann", "bob"]


def test_submit_folders_of_one_name(
    command: Command, home: Home, make_bot: MakeBot, tmp_path: Path
) -> None:
    """`submit` refuses different folders of one name, as each would replace the one before."""
    folders = [make_bot("ann", text).rename(tmp_path / text) for text in ("one", "two")]

    said = command("submit", folders[0], make_bot("bob"), folders[1] / "bot.toml", *at(home))

    refused(said, f"{folders[0]}, {folders[1] / 'bot.toml'}: they all have the name ann")
    with Ladder.open(home) as ladder:
        assert queries.tallies(ladder) == []


@pytest.mark.costly
def test_submit_a_sample_bot(command: Command, home: Home) -> None:
    """`submit` knows the sample bots by name, and lists them if there is none of a name."""
    command("submit", "random", *at(home))

    refused(command("submit", "nobody", *at(home)), "nobody: no such folder, and courtisans has no")
    assert re.search(r"^random +1 +plays ", command("bots", *at(home)).out, re.MULTILINE)


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["1", "nan", "null", "all", "random", "index", "mine", "bots"])
def test_names_that_mean_something_elsewhere(
    command: Command, home: Home, make_bot: MakeBot, tmp_path: Path, name: str
) -> None:
    """Names that tables, pages or options could take for words of their own are just names."""
    command("submit", make_bot(name), *at(home))

    assert re.search(rf"^{name} +1 +plays ", command("bots", *at(home)).out, re.MULTILINE)
    assert command("log", name, *at(home)).out.startswith("Version 1, ")
    command("export", tmp_path / "pages", *at(home))
    assert f"<title>{name} ·" in (tmp_path / "pages" / "bots" / f"{name}.html").read_text()


def test_submit_copies_of_one_folder(
    command: Command, home: Home, make_bot: MakeBot, tmp_path: Path
) -> None:
    """Copies of one bot are a mistake as well: only one of them would play."""
    ann = make_bot("ann")
    copy = shutil.copytree(ann, tmp_path / "copy")

    refused(command("submit", ann, copy, *at(home)), "they all have the name ann")


def test_submit_one_folder_twice(
    command: Command, home: Home, make_bot: MakeBot, tmp_path: Path
) -> None:
    """The same folder by several paths, as wildcards give them, is one bot."""
    ann = make_bot("ann")
    (tmp_path / "link").symlink_to(ann)

    ended = command("submit", ann, ann / "bot.toml", tmp_path / "link", *at(home))

    assert (ended.status, ended.err) == (0, "")
    assert ended.out.count("ann is unchanged") == 2


def test_submit_folders_of_one_name_beside_a_wrong_one(
    command: Command, home: Home, make_bot: MakeBot, tmp_path: Path
) -> None:
    """A folder that is no bot does not hide that others share a name."""
    folders = [make_bot("ann", text).rename(tmp_path / text) for text in ("one", "two")]

    ended = command("submit", tmp_path / "nobody", *folders, *at(home))

    refused(ended, "they all have the name ann")


def at(home: Home) -> tuple[str, Path]:
    """Return the option that names a ladder."""
    return "--ladder", home.path


@pytest.mark.costly
@pytest.mark.parametrize(
    ("report", "status"),
    [
        (Report(void=2), 1),
        (Report(matches=1, void=2), 0),
        (Report(void=2, postponed=2), 0),
        (Report(), 0),
    ],
)
def test_a_run_whose_matches_are_all_void_has_not_succeeded(
    command: Command,
    ladder: Ladder,
    monkeypatch: pytest.MonkeyPatch,
    report: Report,
    status: int,
) -> None:
    """Where all matches were given up, `run` says so as an error; one that was played suffices."""
    monkeypatch.setattr("ladder.runner.run.run", lambda *_, **__: report)

    ended = command("run", "--rounds", 1, *at(ladder.home))

    assert ended.status == status
    assert ("2 matches given up as void, and none played" in ended.err) == bool(status)


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ('colour = "red"\n', 'unknown key "colour"'),
        ("[broken", "not valid TOML"),
    ],
)
def test_submit_with_a_wrong_manifest(
    command: Command, home: Home, make_bot: MakeBot, manifest: str, said: str
) -> None:
    """`submit` refuses a wrong bot.toml in a line naming it, and stores nothing."""
    folder = make_bot("ann", manifest=manifest)

    refused(command("submit", folder, "--ladder", home.path), str(folder), said)

    assert list(home.bots.glob("*")) == []


def test_submit_what_is_not_there(command: Command, home: Home, tmp_path: Path) -> None:
    """`submit` names a missing path in one line."""
    refused(command("submit", tmp_path / "nobody", "--ladder", home.path), "nobody")


def test_submit_a_bot_of_another_game(command: Command, home: Home, make_bot: MakeBot) -> None:
    """`submit` refuses a bot of another game in one line."""
    folder = make_bot("ann")
    toml = folder / "bot.toml"
    toml.write_text(toml.read_text().replace("courtisans", "miracles"))

    refused(
        command("submit", folder, "--ladder", home.path), "the bot plays miracles, not courtisans"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("bots",),
        ("retire", "ann"),
        ("run",),
        ("standings",),
        ("show", "ann"),
        ("matches",),
        ("match", "1a"),
        ("replay", "1a"),
        ("verify",),
        ("rerate",),
        ("log", "ann"),
        ("repro", "1a", "--seat", "0"),
        ("submit", "."),
    ],
)
def test_no_ladder_here(command: Command, arguments: tuple[str, ...]) -> None:
    """Without a ladder every command says so and what to do, in one line."""
    refused(command(*arguments), "there is no ladder in", "ladder init DIR")


def test_ladder_named_by_the_environment(
    command: Command, full: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment may name the ladder; the folder may lie inside it."""
    monkeypatch.setenv("COURTYARD_LADDER", str(full.home.path))
    named = command("standings").out
    monkeypatch.delenv("COURTYARD_LADDER")
    monkeypatch.chdir(full.home.path)

    assert command("standings").out == named
    assert "ann" in named


@pytest.mark.parametrize(
    "arguments",
    [("retire", "zoe"), ("show", "zoe"), ("matches", "--bot", "zoe"), ("log", "zoe")],
)
def test_unknown_bot(command: Command, full: Ladder, arguments: tuple[str, ...]) -> None:
    """Commands refuse an unknown bot in one line that names the known ones."""
    ended = command(*arguments, "--ladder", full.home.path)

    refused(ended, "no bot 'zoe'", "ann, bob, cat, dan")


@pytest.mark.parametrize("words", [("match", "1a", "--json"), ("replay", "1a")])
def test_deal_in_play_is_kept_secret(
    command: Command, ladder: Ladder, played: Callable[..., Played], words: tuple[str, ...]
) -> None:
    """No command shows a match while the rest of its block is still to be played."""
    with ladder.database.write() as tx:
        four = tuple(bots.active(tx))
        block = [
            PlannedMatch("1a" * 16, 1, 0, four, deal="a deal"),
            PlannedMatch("2b" * 16, 1, 1, four[::-1], deal="a deal"),
        ]
        matches.add(tx, block)
        matches.finish(tx, played(block[0], 1, 2, 3, 4))

    refused(command(*words, "--ladder", ladder.home.path), "secret", "1 more of its block")


@pytest.mark.parametrize("name", ["match", "replay"])
@pytest.mark.parametrize(("begin", "said"), [("ff", "no match begins"), ("2", "several matches")])
def test_unknown_match(command: Command, full: Ladder, name: str, begin: str, said: str) -> None:
    """Commands refuse an unknown or ambiguous id in one line."""
    refused(command(name, begin, "--ladder", full.home.path), said)


@pytest.mark.parametrize(
    "arguments",
    [
        ("replay", "2c"),
        ("match", "2c", "--json"),
        ("repro", "2c", "--seat", "1"),
    ],
)
def test_match_without_record(command: Command, full: Ladder, arguments: tuple[str, ...]) -> None:
    """Commands say in one line that an unplayed match has no record."""
    refused(command(*arguments, "--ladder", full.home.path), "has no record: it is planned")


def test_planned_match_is_shown(command: Command, full: Ladder) -> None:
    """`match` shows the bots of an unplayed match."""
    ended = command("match", "2C", "--ladder", full.home.path)

    assert "planned" in ended.out
    assert "(stand-in)" in ended.out


def test_log_of_a_match_without_result(command: Command, full: Ladder) -> None:
    """`log` says how far an unplayed match is."""
    ended = command("log", "ann", "2c", "--ladder", full.home.path)

    assert ended.out.endswith(" has no result: it is planned.\n")


def test_run_without_bots(command: Command, home: Home) -> None:
    """`run` refuses a ladder without bots, and says what to do."""
    refused(command("run", "--ladder", home.path), "no bot plays", "ladder submit PATH")


def test_run_while_another_runs(command: Command, full: Ladder) -> None:
    """While another process is at work, `run` and `rerate` fail."""
    with full.home.locked():
        refused(command("run", "--ladder", full.home.path), "is at work on the ladder")
        refused(command("rerate", "--ladder", full.home.path), "is at work on the ladder")


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "no database": lambda whole: b"Dear diary, " * (len(whole) // 12),
    "cut short": lambda whole: whole[: len(whole) // 2],
    "overwritten": lambda whole: whole[:4096] + b"\xa5" * (len(whole) - 4096),
}


@pytest.mark.sweep
@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", ["standings", "matches", "run", "verify", "rerate"])
def test_damaged_database(command: Command, full: Ladder, damage: str, name: str) -> None:
    """Commands refuse a damaged database in a line that names it; nothing changes."""
    full.database.close()
    broken = DAMAGE[damage](full.home.database.read_bytes())
    full.home.database.write_bytes(broken)

    refused(command(name, "--ladder", full.home.path), str(full.home.database))

    assert full.home.database.read_bytes() == broken


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("matches", "--limit", 10**30), "--limit"),
        (("log", "ann", "--limit", 10**30), "--limit"),
        (("log", "ann", "--version", -1), "--version"),
        (("serve", "--port", 65_536), "--port"),
        (("serve", "--port", "-1"), "--port"),
        (("token", "revoke", 10**30), "there is no token 1000"),
        (("run", "--aim", "top"), "`ladder settings --aim`"),
        (("standings", "--xml"), "--xml"),
        (("standings", "--json", "--csv"), "either --json or --csv"),
    ],
)
def test_what_no_command_takes(
    command: Command, full: Ladder, arguments: tuple[str | int, ...], said: str
) -> None:
    """A command refuses unknown, misplaced and impossible options."""
    refused(command(*arguments, "--ladder", full.home.path), said)


def test_standings(command: Command, full: Ladder) -> None:
    """`standings` names the columns, ranks the bots and says what is not known."""
    title, names, *lines = command("standings", "--ladder", full.home.path).out.splitlines()

    assert title == "ladder · Courtisans, 4 seats"
    assert names.split() == [
        *("#", "ranks", "bot", "v", "rating", "next", "matches", "wins"),
        *("points", "faults", "more"),
    ]
    assert [line.split()[:4] for line in lines[:4]] == [
        ["1", "1-4?", "ann", "1"],
        ["2", "1-4?", "bob", "1"],
        ["3", "1-4?", "cat", "1"],
        ["4", "1-4?", "dan", "1"],
    ]
    assert lines[0].split()[-5:-1] == ["2", "75.0%", "9.0", "0.0%"]
    assert lines[-2].startswith("rating: TrueSkill's mu ± 2 sigma")
    assert lines[-1] == "Provisional, with fewer than six blocks: ann, bob, cat, dan."


def test_conservative_standings(command: Command, full: Ladder) -> None:
    """`--order conservative` ranks by mu - 3 sigma, and shows it."""
    _, names, *lines = command(
        "standings", "--order", "conservative", "--ladder", full.home.path
    ).out.splitlines()

    assert names.split()[-1] == "mu-3sigma"
    assert not {"next", "more"} & set(names.split())
    scores = [float(line.split()[-1]) for line in lines[:4]]
    assert scores == sorted(scores, reverse=True)


def test_a_bot_is_shown_with_its_rank(command: Command, full: Ladder) -> None:
    """`show` tells a bot's rank, its one rating and its basis; a retired bot has no rank."""
    shown = command("show", "ann", "--ladder", full.home.path).out.splitlines()
    (row,) = [
        row
        for row in standings(queries.tallies(full), rating_of_record(full).strengths)
        if row.bot == "ann"
    ]
    full.retire("ann")
    retired = command("show", "ann", "--ladder", full.home.path).out.splitlines()

    assert shown[1] == "Provisional, below the ranked bots: 2 of six blocks are rated."
    assert shown[2].split()[:4] == ["version", "state", "ranks", "rating"]
    assert rating(row) in shown[3].split()
    assert shown[4].startswith("rating: TrueSkill's mu ± 2 sigma")
    assert retired[1].split()[0] == "version"
    assert retired[2].split()[2] == "-"


def test_long_standings(command: Command, full: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal gets the first lines and how to see more, a pipe all; --limit sets both."""
    there = ("--ladder", full.home.path)
    monkeypatch.setattr(show, "SHOWN", 3)
    whole = command("standings", *there).out.splitlines()
    monkeypatch.setenv("TTY_COMPATIBLE", "1")

    assert "3 of 4 bots; --all shows all, --bot NAME the neighbours." in (
        command("standings", *there).out
    )
    assert "dan" in command("standings", "--all", *there).out
    assert len(json.loads(command("standings", "--json", *there).out)) == 4
    assert len(json.loads(command("standings", "--json", "--limit", 2, *there).out)) == 2
    around = json.loads(command("standings", "--json", "--bot", "cat", "--limit", 1, *there).out)
    assert [row["bot"] for row in around] == ["cat"]
    assert len(whole) == 8
    refused(command("standings", "--all", "--limit", 3, *there), "--all excludes --limit")


def test_standings_as_json_and_csv(command: Command, full: Ladder) -> None:
    """JSON and CSV hold the same bots and numbers, and nothing else."""
    from_json = json.loads(command("standings", "--json", "--ladder", full.home.path).out)
    written = command("standings", "--csv", "--ladder", full.home.path).out
    from_csv = list(csv.DictReader(StringIO(written)))

    assert [row["bot"] for row in from_json] == ["ann", "bob", "cat", "dan"]
    for one, other in zip(from_json, from_csv, strict=True):
        one["rules"] = " ".join(one["rules"])
        written = {name: "" if value is None else str(value) for name, value in one.items()}
        assert written == other


def test_nothing_is_cut_in_a_pipe(command: Command, home: Home, make_bot: MakeBot) -> None:
    """A pipe gets the longest names whole, one bot a line, even beyond 80 columns."""
    name = "abcdefghijklmnopqrstuvwxyz-12345"
    command("submit", make_bot(name), "--ladder", home.path)

    for shown in ("standings", "bots"):
        lines = command(shown, "--ladder", home.path).out.splitlines()
        assert sum(name in line.split() for line in lines) == 1


def test_show(command: Command, full: Ladder, make_bot: MakeBot, enter: Any) -> None:
    """`show` lists all versions of a bot and how they forfeited."""
    enter(full, make_bot("dan", "better"))

    lines = command("show", "dan", "--ladder", full.home.path).out.splitlines()

    assert lines[0] == "dan · ladder · Courtisans, 4 seats"
    assert [line.split()[:2] for line in lines[3:5]] == [["2", "plays"], ["1", "played"]]
    assert lines[-1] == "Forfeited: 1 by TIMEOUT."


def test_matches(command: Command, full: Ladder) -> None:
    """`matches` lists newest first, with places, points and forfeits."""
    lines = command("matches", "--ladder", full.home.path).out.splitlines()

    assert lines[0] == "ladder · Courtisans, 4 seats"
    assert [line.split()[:3] for line in lines[2:]] == [
        ["2c2c2c2c2c2c", "3", "planned"],
        ["2b2b2b2b2b2b", "2", "done"],
        ["1a1a1a1a1a1a", "1", "done"],
    ]
    assert lines[2].rstrip().endswith("(stand-in), ann, bob, cat")
    assert lines[3].rstrip().endswith("1. bob 9, 1. ann 9, 3. cat 7, 4. dan 6 forfeit")


def test_rerate_with_broken_references(command: Command, full: Ladder) -> None:
    """`rerate` refuses dangling references in one line, and changes nothing."""
    rating_of_record(full)
    with sqlite3.connect(full.home.database) as connection:
        connection.execute("update seats set version_id = 99 where seat = 0")
        before = connection.execute("select * from strengths").fetchall()
    connection.close()

    said = command("rerate", "--ladder", full.home.path)

    refused(said, "the database is damaged: there is no version 99")
    with sqlite3.connect(full.home.database) as connection:
        assert connection.execute("select * from strengths").fetchall() == before != []
    connection.close()


@pytest.mark.parametrize("name", ["matches", "run"])
def test_matches_of_an_unknown_bot(command: Command, full: Ladder, name: str) -> None:
    """`matches` refuses an unknown version in one line."""
    with sqlite3.connect(full.home.database) as connection:
        connection.execute("update seats set version_id = 99 where seat = 0")
    connection.close()

    refused(command(name, "--ladder", full.home.path), "damaged: there is no version 99")


def test_rerate(command: Command, full: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    """`rerate` says what differed, or that nothing did."""
    here = ("--ladder", full.home.path)
    assert command("rerate", *here).out == "No rating differed.\n"
    found = rating_of_record(full)
    first, *_ = found.strengths.items()
    edited = {**found.strengths, first[0]: replace(first[1], mu=99.5)}
    kept = replace(found, strengths=edited)
    monkeypatch.setattr(rerating, "read", lambda *_: Found(kept, Older(), None))

    out = command("rerate", *here).out

    now = first[1].rating
    assert out == (
        f"ann version 1: mu 99.5, sigma {now.sigma} is now {now}\nRatings that differed: 1.\n"
    )


def test_standings_say_what_is_not_rated_yet(
    command: Command, ladder: Ladder, played: Callable[..., Played]
) -> None:
    """`standings` tells of matches that wait for others of their deals, and of no others.

    A run that was killed in its first match leaves that one alone to be played.
    """
    with ladder.database.write() as tx:
        four = tuple(bots.active(tx))
        alone = [PlannedMatch(f"{i}" * 32, 1, i, four) for i in range(4)]
        matches.add(tx, alone)
        matches.start(tx, alone[0].match_id)
        matches.finish(tx, *(played(match, 1, 2, 3, 4) for match in alone[1:]))
    out = command("standings", "--ladder", ladder.home.path).out
    shown = json.loads(command("standings", "--json", "--ladder", ladder.home.path).out)
    assert [(row["matches"], row["blocks"]) for row in shown] == [(3, 3)] * 4
    assert "Not yet rated" not in out

    with ladder.database.write() as tx:
        block = [PlannedMatch(f"a{i}" * 16, 2, i, four, deal="deal") for i in range(2)]
        matches.add(tx, block)
        matches.finish(tx, played(block[1], 1, 2, 3, 4))
    *_, last = command("standings", "--ladder", ladder.home.path).out.splitlines()
    assert last == "Not yet rated, as others of their deals are to be played: 1 match."


def test_copied_ladder_is_the_same(command: Command, full: Ladder, tmp_path: Path) -> None:
    """A copy of a ladder's folder works as the original."""
    before = command("standings", "--json", "--ladder", full.home.path).out
    full.database.close()
    sqlite3.connect(full.home.database).close()
    shutil.copytree(full.home.path, tmp_path / "copy")

    assert command("standings", "--json", "--ladder", tmp_path / "copy").out == before
