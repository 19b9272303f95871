"""`ladder tournament` and `ladder duel` with real bots: play, continue, show and refuse."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ladder.results import queries
from ladder.runner.report import Report
from ladder.scheduling import contest
from ladder.scheduling import planner as planning
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.scheduling.planner import Planner
from ladder.scheduling.tournament.planner import TournamentPlan
from ladder.server.public.reader import PublicReader
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, match_lines, matches
from ladder.storage.tables import settings as stored_settings
from ladder.submission.submit import submit
from referee.hosting.sample_bots import sample_bot

Command = Callable[..., Any]
MakeBot = Callable[..., Path]

TRUSTED = ("--sandbox", "trusted", "--seats", "2")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave every ladder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COURTYARD_LADDER", raising=False)
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def entered(monkeypatch: pytest.MonkeyPatch, fake_host: Any) -> None:
    """Enter bots without validation matches."""
    monkeypatch.setattr("ladder.submission.submit.host_at", lambda _: fake_host)


@pytest.fixture
def unplayed(monkeypatch: pytest.MonkeyPatch, entered: None) -> list[Planner]:
    """Play nothing, as if every run were interrupted at once; yield planners."""
    planners: list[Planner] = []

    def stop(_: Ladder, planner: Planner, *__: object, **___: object) -> Report:
        planners.append(planner)
        return Report()

    monkeypatch.setattr("ladder.runner.run.run", stop)
    return planners


def sample(name: str) -> Path:
    """Return a sample bot's folder."""
    return sample_bot(f"python/courtisans/{name}")


@pytest.mark.costly
@pytest.mark.usefixtures("entered")
def test_a_tournament_of_real_bots(command: Command, tmp_path: Path) -> None:
    """The command plays it to its end, shows, exports and verifies it, and shows it again."""
    words = ("tournament", "round-robin", "cup", sample("random"), sample("greedy"))
    first = command(
        *words, *TRUSTED, "--seed", "a", "--reproducible", "--json", "cup.json", "--csv", "cup.csv"
    )
    again = command("tournament", "round-robin", "cup")

    assert (first.status, first.err) == (0, "")
    assert "Round robin, 2 bots: Courtisans, 2 seats" in first.out
    assert "greedy wins." in first.out
    assert "direct encounter, then opponents' scores" in first.out
    assert again.out == first.out[first.out.index("\nRound robin") :].replace(
        "Written: cup.json\nWritten: cup.csv\nWritten: cup-cross.csv\n", ""
    )
    with (tmp_path / "cup.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["bot"] for row in rows] == ["greedy", "random"]
    assert json.loads((tmp_path / "cup.json").read_text())["over"] is True
    assert (
        "No problem found in the files and 2 matches." in command("verify", "--ladder", "cup").out
    )


@pytest.mark.costly
@pytest.mark.usefixtures("entered")
def test_a_duel_of_real_bots(command: Command) -> None:
    """An open duel ends at its cap without a decision, and reports its findings."""
    words = ("duel", sample("random"), sample("greedy"), "--most", 4, "--effect", 0.01)
    ended = command(*words, *TRUSTED, "--json", "duel.json")

    assert (ended.status, ended.err) == (0, "")
    assert "is random better than greedy?" in ended.out
    assert "the logarithm of what betting on H1" in ended.out
    assert "No decision: 2 pairs did not tell random and greedy apart." in ended.out
    assert "confidence sequence" in ended.out
    with Ladder.open(Home(Path("duel-random-greedy"))) as ladder, ladder.database.read() as tx:
        assert len(match_lines.finished(tx, bots.all_versions(tx))) == 4
    assert json.loads(Path("duel.json").read_text())["answer"] == "no decision"


@pytest.mark.costly
@pytest.mark.usefixtures("entered")
def test_an_ablation_of_real_bots(command: Command) -> None:
    """Bot and copy play the same deals; the command repeats its answer, and refuses other bots."""
    words = ("ablate", sample("random"), sample("greedy"), "--pairs", 3, "--in", "ablation")
    ended = command(*words, *TRUSTED, "--json", "ablation.json")
    again = command(*words)
    other = command("ablate", sample("greedy"), sample("random"), "--pairs", 3, "--in", "ablation")

    assert (ended.status, ended.err) == (0, "")
    answer = json.loads(Path("ablation.json").read_text())["answer"]
    assert answer in ended.out
    assert ended.out.count("Played") == 4  # both duels in turns, up to 2 pairs and up to 3
    assert answer in again.out
    assert "Played" not in again.out
    assert "holds another contest" in other.err
    deals = []
    for name in ("null", "change"):
        with Ladder.open(Home(Path("ablation", name))) as ladder, ladder.database.read() as tx:
            lines = match_lines.finished(tx, bots.all_versions(tx))
        deals.append([line.deal for line in lines])
        names = [[seat.version.bot for seat in line.seats if seat.version] for line in lines]
        one = "random-copy" if name == "null" else "greedy"
        assert names == [[one, "random"], ["random", one]] * 3
    assert deals[0] == deals[1]
    assert (Path("ablation", "copy", "bot.py")).read_bytes() == (
        sample("random") / "bot.py"
    ).read_bytes()


@pytest.mark.proof
@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("entered")
def test_copies_of_real_bots_are_noise(
    command: Command, proof_cases: Callable[[int], int], tmp_path: Path
) -> None:
    """In 19 of 20 ablations the copy is within the noise; the better bot is found in all."""
    cases, told = proof_cases(20), 0
    for number in range(cases):
        words = ("ablate", sample("random"), sample("greedy"), "--in", f"ablation-{number}")
        command(*words, "--pairs", 20, *TRUSTED, "--json", "found.json", "--seed", number)
        found = json.loads((tmp_path / "found.json").read_text())
        told += found["null"]["told"]
        assert found["null"]["told"] or "greedy is better than random" in found["answer"]

    assert told <= cases / 20


@pytest.mark.usefixtures("unplayed")
def test_a_contest_has_no_rounds_of_its_own(command: Command, make_bot: MakeBot) -> None:
    """`ladder run` plays a contest to its end, and refuses a number of rounds."""
    command("tournament", "swiss", "cup", make_bot("ann"), make_bot("bob"), *TRUSTED)

    assert "to its end" in command("run", "--rounds", 3, "--ladder", "cup").err
    assert "to its end" in command("run", "--until-settled", "--ladder", "cup").err


@pytest.mark.costly
@pytest.mark.usefixtures("unplayed")
def test_settings_are_kept(command: Command, make_bot: MakeBot) -> None:
    """A contest keeps the game settings of its beginning, and refuses others."""
    words = ("tournament", "swiss", "cup", make_bot("ann"), make_bot("bob"), *TRUSTED)
    command(*words, "--set", "reveal_eliminated_spies=true")

    assert "than --set asks for" in command(*words, "--set", "reveal_eliminated_spies=false").err
    assert command(*words, "--set", "reveal_eliminated_spies=true").err == ""
    assert command(*words).err == ""


@pytest.mark.costly
def test_the_plan_is_kept(command: Command, make_bot: MakeBot, unplayed: list[Planner]) -> None:
    """An interrupted tournament resumes with its entrants, without their names."""
    four = [make_bot(name) for name in ("ann", "bob", "cat", "dan")]
    command("tournament", "swiss", "cup", *four, *TRUSTED, "--rounds", 3, "--deals", 2)
    command("tournament", "swiss", "cup")
    command("run", "--ladder", "cup")

    with Ladder.open(Home(Path("cup"))) as ladder, ladder.database.read() as tx:
        planned = [planner.plan(tx) for planner in unplayed]
    assert planned[0] == planned[1] == planned[2]
    assert planned[0] is not None
    assert len(planned[0]) == 4


@pytest.mark.sweep
@pytest.mark.usefixtures("unplayed")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("knockout", "cup"), "FORMAT swiss"),
        (("swiss", "cup", "--rounds", "4"), "--rounds 3"),
        (("swiss", "cup", "--deals", "4"), "--deals 1"),
        (("swiss", "cup", "--seats", "3"), "--seats"),
        (("swiss", "cup", "--seed", "other"), "another --seed"),
        (("swiss", "cup", "ann"), "ann, bob"),
        (("swiss", "other"), "no ladder in"),
        (("swiss", "other", "nobody"), "nobody"),
        (("swiss", "other", "sources/ann"), "at least two"),
        (("swiss", "other", "sources/ann", "sources/bob", "--advancing", "2"), "--advancing"),
        (("swiss", "other", "sources/ann", "sources/bob", "--sudden-death", "2"), "--sudden-death"),
        (
            ("swiss", "other", "sources/ann", "sources/bob", "--seeding", "rating"),
            "ann, sources/bob",
        ),
        (
            ("gauntlet", "other", "sources/ann", "sources/bob", "--seeding", "draw"),
            "is the challenger",
        ),
        (("swiss", "cup", "--seeding", "given"), "--seeding draw"),
        (("chess", "other"), "chess"),
    ],
)
def test_what_cannot_be(
    command: Command, make_bot: MakeBot, words: tuple[str, ...], said: str
) -> None:
    """Options that conflict fail in one line, and make nothing."""
    pair = [make_bot("ann"), make_bot("bob")]
    command("tournament", "swiss", "cup", *pair, *TRUSTED, "--rounds", 3)
    ended = command("tournament", *words)

    assert ended.status == 1
    assert ended.err.count("\n") == 1
    assert said in ended.err
    assert not Path("other").exists()


@pytest.mark.usefixtures("unplayed")
def test_no_bot_is_alone_in_a_group(command: Command, make_bot: MakeBot) -> None:
    """Groups of two refuse an odd number of bots before anything is made."""
    five = [make_bot(name) for name in NAMES[:5]]
    words = ("tournament", "groups", "cup", "--group-size", 2, "--advancing", 1, *TRUSTED)
    ended = command(*words, *five)

    assert (ended.status, ended.err.count("\n")) == (1, 1)
    assert "5 bots do not fit into groups of 2" in ended.err
    assert not Path("cup").exists()
    assert command(*words, *five[:4]).status == 0


NAMES = ("ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal")


@pytest.mark.usefixtures("unplayed")
def test_pairs_that_a_format_cannot_keep_apart(command: Command, make_bot: MakeBot) -> None:
    """A forbidden pair that would have to meet is refused in one line, at the beginning."""
    bots = [make_bot(name) for name in ("ann", "bob", "cyd")]

    def refused(kind: str, pair: str) -> str:
        ended = command("tournament", kind, f"cup-{kind}", *bots, "--forbid", pair, *TRUSTED)
        assert (ended.status, ended.err.count("\n")) == (1, 1)
        return str(ended.err)

    assert "in a knockout any two bots may have to meet" in refused("knockout", "ann,bob")
    assert "in a round-robin any two bots may have to meet" in refused("round-robin", "ann,bob")
    assert "ann and bob cannot be kept apart: they meet in round 1 of this gauntlet" in refused(
        "gauntlet", "ann,bob"
    )
    assert "cannot be kept apart: they meet in round" in refused("groups", "cyd,bob")
    assert "'zed' is not a bot of this tournament: ann, bob, cyd" in refused("swiss", "ann,zed")
    assert "ann never meets itself" in refused("swiss", "ann,ann")
    assert "takes two bots with a comma between them" in refused("swiss", "ann")


@pytest.mark.costly
@pytest.mark.usefixtures("unplayed")
def test_two_versions_that_may_not_meet(
    command: Command, home: Home, ladder: Ladder, make_bot: MakeBot, enter: Callable[..., object]
) -> None:
    """A tournament goes on with versions forbidden by their numbers in the standing ladder."""
    enter(ladder, make_bot("ann", "better"))
    enter(ladder, make_bot("ann", "best"))
    cup = ("tournament", "swiss", "cup", "--ladder", home.path)
    bots = ("ann@2", "ann@3", "bob", "cat")
    command(*cup, *bots, "--forbid", "ann@2,ann@3")
    again = command(*cup, *bots, "--forbid", "ann@3,ann@2")
    unnamed = command(*cup, "--forbid", "ann@2,ann@3", "--all")
    other = command(*cup, *bots, "--forbid", "ann@2,bob")

    assert (again.status, again.err) == (0, "")
    assert (unnamed.status, unnamed.err) == (0, "")
    assert "ann@1 and ann@2" in unnamed.out
    assert (other.status, other.err.count("\n")) == (1, 1)
    assert "begun with --forbid ann@1 and ann@2" in other.err


def seeds(folder: str) -> list[str]:
    """Return a tournament's bots in order of seed."""
    with Ladder.open(Home(Path(folder))) as ladder, ladder.database.read() as tx:
        plan = contest.read(ladder)
        assert isinstance(plan, TournamentPlan)
        return [bots.all_versions(tx)[entrant].bot for entrant in plan.entrants]


@pytest.mark.costly
@pytest.mark.usefixtures("unplayed")
def test_seeds_are_drawn(command: Command, make_bot: MakeBot) -> None:
    """The tournament's seed decides the seeding, not the order of the folders."""
    folders = [make_bot(name) for name in NAMES]
    words = ("tournament", "knockout")
    for cup, seed, named in (("a", 1, folders), ("b", 1, folders[::-1]), ("c", 2, folders)):
        shown = command(*words, cup, *named, *TRUSTED, "--seed", seed, "--reproducible", "--all")
        assert f"by draw: 1 {seeds(cup)[0]}, 2 {seeds(cup)[1]}" in shown.out.replace("\n", "")
    command(*words, "d", *folders[::-1], *TRUSTED, "--seeding", "given")

    assert seeds("a") == seeds("b") != seeds("c")
    assert list(NAMES) not in (seeds("a"), seeds("c"))
    assert seeds("d") == list(NAMES[::-1])


@pytest.mark.costly
@pytest.mark.usefixtures("unplayed")
def test_seeds_that_were_drawn_stay(command: Command, make_bot: MakeBot) -> None:
    """A tournament resumes with its bots in any order; it refuses other files."""
    folders = [make_bot(name) for name in NAMES]
    words = ("tournament", "knockout", "cup")
    command(*words, *folders, *TRUSTED)
    drawn = seeds("cup")

    assert command(*words, *folders[3:], *folders[:3]).err == ""
    assert seeds("cup") == drawn
    assert "eve, " in command(*words, *folders[1:]).err
    make_bot("cat", "better")
    assert "other files of cat than" in command(*words, *folders[::-1]).err


@pytest.mark.costly
@pytest.mark.usefixtures("unplayed")
def test_seeds_by_rating(
    command: Command, home: Home, ladder: Ladder, played: Callable[..., Any], make_bot: MakeBot
) -> None:
    """A standing ladder's ratings seed its bots, if it has rated all of them."""
    planner = LadderPlanner(ladder, 6)
    with ladder.database.write() as tx:
        known = bots.all_versions(tx)
        for number in range(1, 7):
            planned = planning.planned_matches(
                ladder.settings, number, planner.plan(tx) or (), known
            )
            matches.add(tx, planned)
            for match in planned:  # the later name is the better one
                order = [-seat.id for seat in match.seats if seat]
                places = [1 + sum(other < own for other in order) for own in order]
                matches.finish(tx, played(match, *places))
    words = ("tournament", "knockout")
    of_ladder = command(*words, "a", "bob", "dan", "ann", "--ladder", home.path)
    command(*words, "b", "bob", "dan", make_bot("eve"), "--ladder", home.path, "--seed", 1)
    asked = command(*words, "c", "bob", "eve", "--ladder", home.path, "--seeding", "rating")

    assert "by rating: 1 dan, 2 bob, 3 ann" in of_ladder.out
    assert sorted(seeds("b")) == ["bob", "dan", "eve"]
    assert asked.status == 1


@pytest.mark.usefixtures("unplayed")
def test_a_tournament_that_older_code_began(command: Command, make_bot: MakeBot) -> None:
    """A tournament begun under other rules does not resume: one line says what to do.

    Its pages show the matches as a ladder's, without a table by these rules.
    """
    folders = [make_bot(name) for name in NAMES[:4]]
    words = ("tournament", "knockout", "cup")
    command(*words, *folders, *TRUSTED, "--seeding", "given")
    with Ladder.open(Home(Path("cup"))) as ladder, ladder.database.write() as tx:
        plan = {**(ladder.settings.contest or {})}
        for name in ("seeding", "sudden_death", "draw", "rules"):
            del plan[name]
        stored_settings.begin_contest(tx, plan)
    with Ladder.open(Home(Path("cup"))) as ladder:
        assert PublicReader(ladder).snapshot().contest is None
    for again in (command(*words), command("run", "--ladder", "cup")):
        assert again.status == 1
        assert again.err.count("\n") == 1
        assert "began under version 1 of the rules" in again.err
        assert "use the Courtyard that began it to show or finish it" in again.err


@pytest.mark.usefixtures("unplayed")
def test_a_standing_ladder_is_left_alone(command: Command, home: Home, ladder: Ladder) -> None:
    """A tournament of a ladder's bots takes its game and seats, and leaves it unchanged."""
    before = queries.tallies(ladder)
    command("tournament", "groups", "cup", "--ladder", home.path)
    command("duel", "ann", "bob", "--ladder", home.path)

    assert queries.tallies(ladder) == before
    for folder, count in ((Path("cup"), 4), (home.path / "duels" / "ann.1-bob.1", 2)):
        with Ladder.open(Home(folder)) as made:
            assert (made.settings.game, made.settings.seats) == ("courtisans", 4)
            assert made.settings.secret != ladder.settings.secret
            assert len(queries.tallies(made)) == count


@pytest.mark.usefixtures("unplayed")
def test_two_versions_of_a_bot(
    command: Command, home: Home, ladder: Ladder, make_bot: MakeBot, enter: Callable[..., object]
) -> None:
    """A new version can duel with its replaced predecessor."""
    enter(ladder, make_bot("ann", "better"))
    ended = command("duel", "ann", "ann@1", "--ladder", home.path)

    assert "is ann@1 better than ann@2?" in ended.out
    assert (home.path / "duels" / "ann.2-ann.1").is_dir()


@pytest.mark.usefixtures("unplayed", "ladder")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ann", "ann"), "the same"),
        (("ann", "bob", "--effect", "0.7"), "effect"),
        (("ann", "bob", "--alpha", "0"), "alpha"),
        (("ann", "bob", "--third", "cat"), "3 or 5 seats"),
        (("ann", "bob@4"), "bob@1"),
        (("ann", "zoe"), "zoe"),
    ],
)
def test_no_duel(command: Command, home: Home, words: tuple[str, ...], said: str) -> None:
    """A wrong duel fails in one line."""
    ended = command("duel", *words, "--ladder", home.path)

    assert ended.status == 1
    assert said in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.usefixtures("unplayed", "ladder")
def test_other_terms_are_another_duel(command: Command, home: Home) -> None:
    """A duel on other terms stays apart from the first; it can have its own folder."""
    words = ("duel", "ann", "bob", "--ladder", home.path)
    command(*words)
    mixed = command(*words, "--effect", 0.1)
    apart = command(*words, "--effect", 0.1, "--in", "second")

    assert (mixed.status, apart.status) == (1, 0)
    assert "--in DIR" in mixed.err


@pytest.mark.costly
@pytest.mark.usefixtures("unplayed")
def test_a_contest_goes_on_with_its_own_versions(
    command: Command, home: Home, ladder: Ladder, make_bot: MakeBot, enter: Callable[..., object]
) -> None:
    """A contest refuses another version or changed files; a name alone continues."""
    own = make_bot("eve")
    cup = ("tournament", "swiss", "cup", "--ladder", home.path)
    duel = ("duel", "--in", "cup2", "--ladder", home.path)
    command(*cup, "ann@1", own)
    command(*duel, "ann@1", own)
    enter(ladder, make_bot("ann", "better"))

    assert command(*cup, "ann@1", own).err == ""
    assert command(*cup, "ann", own).err == ""
    assert command(*duel, "ann@1", own).err == ""
    others = [command(*contest, "ann@2", own) for contest in (cup, duel)]
    make_bot("eve", "better")
    changed = command(*cup, "ann@1", own)
    for ended, bot, word in ((others[0], "ann", "ann@2"), (changed, "eve", own)):
        assert (ended.status, ended.err.count("\n")) == (1, 1)
        assert f"cup: this contest has other files of {bot} than {word};" in ended.err
    assert "cup2: this contest has other files of ann than ann@2; continue with" in others[1].err


@pytest.mark.usefixtures("unplayed", "ladder")
def test_remote_bots_are_left_out_of_all(
    command: Command, home: Home, make_remote_bot: MakeBot
) -> None:
    """A tournament of all a ladder's bots says which ones it leaves out."""
    with Ladder.open(home) as standing:
        submit(standing, make_remote_bot("far"), lambda _: None, author="eve")
    begun = command("tournament", "swiss", "cup", "--ladder", home.path)

    assert begun.err == ""
    assert "Left out, as remote bots play only on standing ladders: far.\n" in begun.out
    assert begun.out.count("far") == 1


@pytest.mark.usefixtures("ladder")
def test_report(command: Command, home: Home) -> None:
    """The report is printed, or written to a page."""
    shown = command("report", "--ladder", home.path)
    written = command("report", "--ladder", home.path, "--html", "report.html")

    assert "No ratings yet" in shown.out
    assert written.out == "Written: report.html\n"
    assert Path("report.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("words", [("tournament", "swiss", "cup"), ("duel",)])
def test_a_remote_bot_takes_no_part(
    command: Command, home: Home, make_remote_bot: MakeBot, make_bot: MakeBot, words: tuple[str]
) -> None:
    """A remote bot is refused with the reason, by folder or as a ladder's bot."""
    folder = make_remote_bot("far")
    with Ladder.open(home) as standing:
        submit(standing, folder, lambda _: None, author="eve")
    for named in (("--ladder", home.path, make_bot("near"), "far"), (make_bot("near"), folder)):
        ended = command(*words, *named)
        assert (ended.status, len(ended.err.splitlines())) == (1, 1)
        assert ended.err.startswith(
            "error: far is a remote bot, and those play on standing ladders"
        )
        assert "a bot that runs elsewhere could remember it" in ended.err
