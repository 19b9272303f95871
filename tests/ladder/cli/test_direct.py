"""The director's commands, and what `submit` and `retire` say in a tournament."""

import fcntl
import json
import shlex
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ladder.model.bots import SubmissionOutcome
from ladder.model.tournaments import Kind
from ladder.results import queries
from ladder.runner.report import Report
from ladder.scheduling import contest
from ladder.scheduling.planner import planned_matches
from ladder.scheduling.tournament import directing
from ladder.scheduling.tournament import planner as tournament
from ladder.scheduling.tournament.planner import TournamentPlan, TournamentPlanner
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, directives, matches
from ladder.submission.submit import submit
from tests.ladder.server.web.filled_tournament import fill
from tests.support.ladders import Command, MakeBot

TRUSTED = ("--sandbox", "trusted", "--seats", "2")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave every ladder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COURTYARD_LADDER", raising=False)
    monkeypatch.setenv("COLUMNS", "100")


@pytest.fixture
def swiss(tmp_path: Path) -> Path:
    """Make a Swiss tournament of six bots with one round played."""
    return fill(tmp_path / "cup", TournamentPlan(Kind.SWISS, tuple(range(1, 7)), rounds=3), 2, 1, 0)


def decided(folder: Path) -> list[tuple[str, str | None]]:
    """Return the director's decisions, with the reasons."""
    with Ladder.open(Home(folder)) as ladder, ladder.database.read() as tx:
        return [(each.kind.value, each.why) for each in directives.all_of(tx)]


def test_the_director_decides(command: Command, swiss: Path) -> None:
    """The tournament stores each decision with its reason, and shows all of them."""
    at = ("--ladder", swiss)
    done = [
        command("withdraw", "ada", *at),
        command("disqualify", "bertrand", "--why", "two bots,\none author", *at),
        command("pause", "--why", "lunch", *at),
    ]
    shown = command("tournament", "swiss", swiss)
    command("resume", *at)

    assert [ended.err for ended in done] == ["", "", ""]
    assert done[0].out == "ada is withdrawn: it does not play from round 3 on.\n"
    assert decided(swiss) == [
        ("withdraw", None),
        ("disqualify", "two bots, one author"),
        ("pause", "lunch"),
        ("resume", None),
    ]
    assert shown.status == 0
    assert "bertrand is disqualified: two bots, one author" in shown.out
    assert "Paused by the director since" in shown.out
    assert f"To resume: ladder resume --ladder {shlex.quote(str(swiss))}" in shown.out


def test_winners_share_the_first_place(command: Command, tmp_path: Path) -> None:
    """A sentence names the bots that share the first place, such as after an annulment."""
    pair = TournamentPlan(Kind.ROUND_ROBIN, (1, 2))
    cup = fill(tmp_path / "cup", pair, 2, 1, 0)
    with Ladder.open(Home(cup)) as ladder, ladder.database.read() as tx:
        match, *_ = matches.ids(tx)
    command("annul", match, "--why", "a slip", "--ladder", cup)
    shown = command("tournament", "round-robin", cup, "--csv", tmp_path / "cup.csv")

    assert "ada and bertrand share first place." in shown.out
    assert (tmp_path / "cup.csv").read_text().count("\n1,") == 2


def test_a_decision_is_taken_back(command: Command, swiss: Path) -> None:
    """`retract` undoes a decision before the next round is planned; the list keeps both."""
    at = ("--ladder", swiss)
    with Ladder.open(Home(swiss)) as ladder, ladder.database.read() as tx:
        match, *_ = matches.ids(tx)
    command("withdraw", "ada", *at)
    command("annul", match, "--why", "a slip", *at)
    done = [
        command("retract", about, "--why", "it was\nanother one", *at) for about in ("ada", match)
    ]

    assert [ended.out for ended in done] == [
        "ada is no longer withdrawn.\n",
        f"{match} is no longer annulled: it counts again.\n",
    ]
    with Ladder.open(Home(swiss)) as ladder, ladder.database.read() as tx:
        now = tournament.progress_of(
            directing.plan_of(ladder), 2, tournament.stored_rounds(tx), directives.all_of(tx)
        )
    assert (now.gone, now.annulled) == ({}, {})
    assert decided(swiss) == [
        ("withdraw", None),
        ("annul", "a slip"),
        ("retract", "it was another one"),
        ("retract", "it was another one"),
    ]
    assert "there is no decision about ada" in command("retract", "ada", "--why", "x", *at).err


def plan_next(cup: Path, plan: TournamentPlan, number: int) -> None:
    """Plan the next round of the ladder, as a run would."""
    with Ladder.open(Home(cup)) as ladder, ladder.database.write() as tx:
        blocks = TournamentPlanner(plan, 2).plan(tx) or ()
        matches.add(tx, planned_matches(ladder.settings, number, blocks, bots.all_versions(tx)))


def test_a_bot_returns(command: Command, tmp_path: Path) -> None:
    """`retract` also undoes a decision that a round was planned by: the bot plays the next one."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(1, 7)), rounds=3)
    cup = fill(tmp_path / "cup", plan, 2, 0, 6)
    at = ("--ladder", cup)
    command("withdraw", "ada", *at)
    plan_next(cup, plan, 2)
    back = command("retract", "ada", "--why", "the other one is ill", *at)
    stranger = command("retract", "zoe", "--why", "x", *at)

    assert back.out == "ada is no longer withdrawn: it plays again from round 3 on.\n"
    assert stranger.status == 1
    assert "'zoe' is not a bot of this tournament (ada, bertrand" in stranger.err
    assert decided(cup) == [("withdraw", None), ("retract", "the other one is ill")]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("plan", "rounds", "said"),
    [
        (
            TournamentPlan(Kind.KNOCKOUT, (1, 2, 3, 4), sudden_death=0, draw="x"),
            1,
            "ada cannot return: it lost its table of round 2 by absence, and others went on",
        ),
        (
            TournamentPlan(Kind.GROUPS, tuple(range(1, 7)), group_size=3, sudden_death=0, draw="x"),
            3,
            "ada cannot return: the knockout was drawn without it",
        ),
    ],
    ids=["knockout", "groups"],
)
def test_a_place_that_others_took(
    command: Command, tmp_path: Path, plan: TournamentPlan, rounds: int, said: str
) -> None:
    """In one line, `retract` refuses a bot whose place in a knockout is gone; it stays out."""
    cup = fill(tmp_path / "cup", plan, 2, rounds - 1, 99)
    at = ("--ladder", cup)
    command("withdraw", "ada", *at)
    plan_next(cup, plan, rounds + 1)
    ended = command("retract", "ada", "--why", "x", *at)

    assert (ended.status, ended.err.count("\n")) == (1, 1)
    assert said in ended.err
    assert decided(cup) == [("withdraw", None)]


def test_an_annulled_match(command: Command, swiss: Path) -> None:
    """`annul` takes a finished match once, with a reason; no unfinished one."""
    at = ("--ladder", swiss)
    with Ladder.open(Home(swiss)) as ladder, ladder.database.read() as tx:
        first, *_, last = matches.ids(tx)
    done = command("annul", first[:12], "--why", "an overloaded machine", *at)

    assert f"Match {first} is annulled" in done.out
    assert "has already been annulled" in command("annul", first, "--why", "again", *at).err
    assert "nothing to annul" in command("annul", last, "--why", "early", *at).err
    assert "--why needs a reason" in command("annul", last, "--why", " ", *at).err
    assert decided(swiss) == [("annul", "an overloaded machine")]


@pytest.mark.sweep
@pytest.mark.parametrize("kind", [Kind.KNOCKOUT, Kind.DOUBLE_ELIMINATION])
def test_a_match_that_others_followed_from_stays(
    command: Command, tmp_path: Path, kind: Kind
) -> None:
    """In a bracket, `annul` recalls no bot that moved on."""
    plan = TournamentPlan(kind, (1, 2, 3, 4), sudden_death=0, draw="x")
    cup = fill(tmp_path / "ko", plan, 2, 1, 1)
    with Ladder.open(Home(cup)) as ladder, ladder.database.read() as tx:
        first, *_ = matches.ids(tx)

    ended = command("annul", first, "--why", "late", "--ladder", cup)

    assert ended.status == 1
    assert "already play in a later round" in ended.err
    assert decided(cup) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("withdraw", "zoe"), "its bots: ada, bertrand, carp_diem, dolores, emeline, fulk"),
        (("resume",), "not paused"),
        (("retire", "ada"), "`ladder withdraw ada --ladder"),
        (("disqualify", "ada", "--why", ""), "--why needs a reason"),
        (("run", "--rounds", "2"), "to its end"),
    ],
)
def test_what_cannot_be_decided(
    command: Command, swiss: Path, words: tuple[str, ...], said: str
) -> None:
    """A wrong decision fails in one line; none is kept."""
    ended = command(*words, "--ladder", swiss)

    assert (ended.status, ended.err.count("\n")) == (1, 1)
    assert said in ended.err
    assert decided(swiss) == []


def test_a_bye_on_request(command: Command, tmp_path: Path) -> None:
    """`bye` gives a bye in a round to come, within the limits; `retract` takes it back."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(1, 7)), rounds=4)
    cup = fill(tmp_path / "cup", plan, 2, 1, 0)  # round 2 is planned
    at = ("--why", "its author asked", "--ladder", cup)
    half = ("--points", "half")
    done = [
        command("bye", "ada", "--round", "3", *half, *at),
        command("bye", "bertrand", "--round", "4", *at),
        command("retract", "bertrand", *at),
        command("withdraw", "dolores", "--ladder", cup),
    ]
    refused = {
        command("bye", *asked, *at).err
        for asked in (
            ("ada", "--round", "3"),
            ("ada", "--round", "2"),
            ("ada", "--round", "4", *half),
            ("ada", "--round", "5"),
            ("dolores", "--round", "3"),
            ("zoe", "--round", "3"),
        )
    }

    assert [ended.out for ended in done] == [
        "ada has a bye of half a point in round 3.\n",
        "bertrand has a bye of 0 points in round 4.\n",
        "bertrand is paired again in the round of its last bye.\n",
        "dolores is withdrawn: it does not play from round 3 on.\n",
    ]
    for said in (
        "ada already has a bye in round 3; `ladder retract ada` takes it back",
        "it is too late: round 2 is planned",
        "round 4 is the last, which has no half-point byes",
        "the tournament has 4 rounds: there is no round 5",
        "dolores has already left the tournament",
        "'zoe' does not take part",
    ):
        assert any(said in err for err in refused), said
    assert decided(cup)[:2] == [
        ("half-point bye", "its author asked"),
        ("zero-point bye", "its author asked"),
    ]


def test_two_bots_may_not_meet(command: Command, tmp_path: Path) -> None:
    """`forbid` keeps two bots of a Swiss apart from the next round on; `retract` takes it back."""
    plan = TournamentPlan(Kind.SWISS, (1, 2, 3, 4), rounds=3, forbidden=((2, 3),))
    cup = fill(tmp_path / "cup", plan, 2, 1, 0)  # round 2 is planned
    at = ("--why", "they share code", "--ladder", cup)
    forbidden = [
        command("forbid", "ada", other, *at) for other in ("bertrand", "carp_diem", "dolores")
    ]
    twice, itself, unknown = (
        command("forbid", *pair, *at).err
        for pair in (("bertrand", "ada"), ("ada", "ada"), ("ada", "zoe"))
    )
    back = command("retract", "dolores", *at)
    named = [command("retract", *pair, *at) for pair in [("bertrand", "carp_diem")] * 2]
    alone = command("retract", "bertrand", "zoe", *at).err
    of_groups = TournamentPlan(Kind.GROUPS, tuple(range(1, 7)), forbidden=((1, 2),))
    groups = fill(tmp_path / "groups", of_groups, 2, 1, 0)
    fixed, held = (
        command(verb, "ada", "bertrand", "--why", "x", "--ladder", groups).err
        for verb in ("forbid", "retract")
    )

    assert [ended.out for ended in forbidden[:2]] == [
        "ada and bertrand may not meet from round 3 on.\n",
        "ada and carp_diem may not meet from round 3 on.\n",
    ]
    assert back.out == "dolores may meet ada again.\n"
    assert "bertrand and ada may not meet already" in twice
    assert "ada never meets itself" in itself
    assert "'zoe' does not take part" in unknown
    assert named[0].out == "bertrand and carp_diem may meet again.\n"
    assert "no decision about bertrand and carp_diem" in named[1].err
    assert "'zoe' does not take part" in alone
    assert "the meetings of a groups are fixed at the start" in fixed
    assert "only a Swiss tournament allows a forbidden pair later" in held
    assert decided(cup)[0] == ("forbid", "they share code")


def test_half_point_byes_are_limited(command: Command, tmp_path: Path) -> None:
    """`bye` gives no more half-point byes than the rules, and leaves two bots to play a round."""
    plan = TournamentPlan(Kind.SWISS, (1, 2, 3), rounds=5)
    cup = fill(tmp_path / "cup", plan, 2, 1, 0)
    at = ("--why", "asked", "--ladder", cup)
    done = [
        command("bye", bot, "--round", number, "--points", points, *at).err
        for bot, number, points in (
            ("ada", "3", "half"),
            ("ada", "4", "half"),
            ("bertrand", "3", "0"),
        )
    ]
    cup = fill(tmp_path / "other", TournamentPlan(Kind.ROUND_ROBIN, (1, 2, 3)), 2, 1, 0)
    elsewhere = command("bye", "ada", "--round", "2", "--why", "x", "--ladder", cup).err

    assert done[0] == ""
    assert "ada has had 1 of at most 1 half-point byes" in done[1]
    assert "without bertrand, fewer than two bots would play round 3" in done[2]
    assert "a round-robin gives no byes on request" in elsewhere


def test_no_bot_leaves_twice(command: Command, swiss: Path) -> None:
    """A withdrawn bot may still be disqualified, once."""
    at = ("--ladder", swiss)
    command("withdraw", "ada", *at)

    assert "already been withdrawn" in command("withdraw", "ada", *at).err
    assert command("disqualify", "ada", "--why", "x", *at).err == ""
    assert "already been disqualified" in command("disqualify", "ada", "--why", "x", *at).err


def test_a_standing_ladder_has_no_director(command: Command, home: Home, ladder: Ladder) -> None:
    """A director's command names the one to use there."""
    for words in (("withdraw", "ann"), ("pause",), ("annul", "3f", "--why", "x")):
        ended = command(*words, "--ladder", home.path)
        assert ended.status == 1
        assert "`ladder retire BOT`" in ended.err
    assert command("retire", "ann", "--ladder", home.path).out == "ann is retired.\n"


def test_a_late_entrant(command: Command, swiss: Path, make_bot: MakeBot) -> None:
    """A bot submitted to a Swiss tournament plays from the next round on."""
    ended = command("submit", make_bot("zoe"), "--ladder", swiss)
    again = command("submit", make_bot("zoe", "better"), "--ladder", swiss)

    assert ended.out.endswith("zoe enters in round 3; the rounds that it missed (2) score 1.\n")
    assert "zoe already takes part in this tournament" in again.err
    assert "`ladder withdraw zoe`" in again.err
    assert decided(swiss) == [("enter", None)]


def test_late_entrants_of_one_name(
    command: Command, swiss: Path, make_bot: MakeBot, tmp_path: Path
) -> None:
    """Different folders of one name enter no tournament, where the first would have played."""
    folders = [make_bot("zoe", text).rename(tmp_path / text) for text in ("one", "two")]

    ended = command("submit", *folders, "--ladder", swiss)

    assert ended.status == 1
    assert "they all have the name zoe" in ended.err
    assert "zoe" not in command("bots", "--ladder", swiss).out


def test_too_late(command: Command, tmp_path: Path, make_bot: MakeBot) -> None:
    """`submit` admits no bot once the last round is planned, nor ever to a fixed schedule."""
    last = fill(tmp_path / "last", TournamentPlan(Kind.SWISS, (1, 2, 3, 4), rounds=2), 2, 1, 1)
    fixed = fill(tmp_path / "fixed", TournamentPlan(Kind.ROUND_ROBIN, (1, 2, 3, 4)), 2, 1, 0)

    assert "too late" in command("submit", make_bot("zoe"), "--ladder", last).err
    assert (
        "a round-robin takes no late entrants"
        in command("submit", make_bot("zoe"), "--ladder", fixed).err
    )
    for folder in (last, fixed):
        with Ladder.open(Home(folder)) as ladder:
            assert "zoe" not in {
                tally.version.bot for tally in queries.tallies(ladder, every_version=True)
            }


@pytest.mark.costly
def test_a_paused_tournament_begins_nothing(command: Command, swiss: Path) -> None:
    """A run plays no match and says how to resume."""
    command("pause", "--ladder", swiss)
    ended = command("run", "--ladder", swiss)

    assert ended.status == 130
    assert "Played 0 matches" in ended.out
    assert f"To resume: ladder resume --ladder {shlex.quote(str(swiss))}" in ended.out


@pytest.fixture
def unplayed(monkeypatch: pytest.MonkeyPatch, fake_host: Any) -> None:
    """Play nothing."""
    monkeypatch.setattr("ladder.runner.run.run", lambda *_, **__: Report())


def rejecting(real: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """Return a submit that rejects these bots."""

    def tried(ladder: Ladder, path: Path, *more: Any, **options: Any) -> Any:
        done = real(ladder, path, *more, **options)
        if path.name not in names:
            return done
        version = replace(done.version, rejected="it crashed")
        return replace(done, outcome=SubmissionOutcome.REJECTED, version=version)

    return tried


@pytest.mark.usefixtures("unplayed")
def test_all_are_tried_before_one_ends_it(
    command: Command, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch, fake_host: Any
) -> None:
    """One run names every unfit bot; once mended, the same command needs no names."""
    four = [make_bot(name) for name in ("ann", "bob", "cat", "dan")]
    with monkeypatch.context() as patch:
        patch.setattr("ladder.submission.submit.submit", rejecting(submit, "ann", "cat"))
        ended = command("tournament", "swiss", "cup", *four, *TRUSTED, "--rounds", 3)
    other = command("tournament", "swiss", "cup", "--rounds", 4)
    standing = command("run", "--ladder", "cup")
    again = command("tournament", "swiss", "cup")

    assert ended.status == 1
    assert "ann version 1 may not play: it crashed" in ended.out
    assert "cat version 1 may not play: it crashed" in ended.out
    assert "2 of 4 bots cannot take part" in ended.err
    assert "begun with --rounds 3" in other.err
    assert "has not begun" in standing.err
    assert again.err == ""
    with Ladder.open(Home(Path("cup"))) as ladder:
        plan = contest.read(ladder)
    assert isinstance(plan, TournamentPlan)
    assert (plan.rounds, len(plan.entrants)) == (3, 4)


def entry_list(folder: Path, *rows: str) -> Path:
    """Write an entry list into a folder."""
    file = folder / "entries.csv"
    file.write_text("\n".join(("bot;seed;author;team", *rows)))
    return file


@pytest.mark.usefixtures("unplayed")
def test_an_entry_list(command: Command, make_bot: MakeBot) -> None:
    """An entry list enters its bots by their seeds, with author and team; it can be repeated."""
    sources = make_bot("ann").parent
    make_bot("bob")
    file = entry_list(sources, "ann;2;=cmd();A+", "bob;1;;-1")
    words = ("tournament", "swiss", "cup", "--entries", file)
    begun = command(*words, *TRUSTED, "--csv", "out.csv")
    again = command(*words)
    entry_list(sources, "ann;2;Ann;A+", "bob;1;;-1")
    other = command(*words)
    twice = command("tournament", "swiss", "cup", "ann", "--entries", file)
    drawn = command("tournament", "swiss", "new", "--entries", file, "--seeding", "draw")

    assert (begun.err, again.err) == ("", "")
    with Ladder.open(Home(Path("cup"))) as ladder:
        plan = directing.plan_of(ladder)
    assert (plan.seeding, plan.authors, plan.teams) == ("given", ("", "=cmd()"), ("-1", "A+"))
    assert [line.split(",")[1:4] for line in Path("out.csv").read_text().splitlines()] == [
        ["bot", "author", "team"],
        ["bob", "", "'-1"],
        ["ann", "'=cmd()", "A+"],
    ]
    assert "begun with --entries in which ann is by =cmd(), A+" in other.err
    assert "not in both" in twice.err
    assert "gives seeds: omit --seeding draw" in drawn.err
    assert not Path("new").exists()


@pytest.mark.usefixtures("unplayed")
def test_authors_and_forbidden_pairs_of_a_list(command: Command, make_bot: MakeBot) -> None:
    """Bots of one author and forbidden pairs do not meet; pairings, rules and JSON say so."""
    sources = make_bot("ann").parent
    for name in ("bob", "cyd", "dan"):
        make_bot(name)
    file = entry_list(sources, "ann;1;x;", "bob;2;y;", "cyd;3;x;", "dan;4;z;")
    words = ("tournament", "swiss", "cup", "--entries", file, "--until-round", "0")
    begun = command(*words, "--forbid", "ann,dan", *TRUSTED, "--json", "out.json")
    again = command("tournament", "swiss", "cup", "--until-round", "0", "--forbid", "dan,ann")
    other = command("tournament", "swiss", "cup", "--forbid", "ann,bob")
    none = command("tournament", "swiss", "cup", "--apart", "none")
    told = json.loads(Path("out.json").read_text())

    assert (begun.err, again.err) == ("", "")
    assert [m["entrants"] for m in told["pairings"]["meetings"]] == [["ann", "bob"], ["cyd", "dan"]]
    assert (told["options"]["apart"], told["forbidden"]) == ("author", [["ann", "dan"]])
    assert told["rules"]["forbidden pairs"] == "ann and dan"
    assert "bots of one author: they meet in as few pairs as possible" in " ".join(
        begun.out.split()
    )
    assert "begun with --forbid ann and dan" in other.err
    assert "begun with --apart author" in none.err


@pytest.mark.costly
@pytest.mark.usefixtures("unplayed")
def test_an_entry_list_enters_all_or_none(
    command: Command, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch, fake_host: Any
) -> None:
    """A faulty list makes nothing, and an unfit bot keeps all others of its list from playing."""
    sources = make_bot("ann").parent
    for name in ("bob", "cat"):
        make_bot(name)
    file = entry_list(sources, "ann;;Ann", "eve", "dan")
    faulty = command("tournament", "swiss", "cup", "--entries", file, *TRUSTED)
    assert (faulty.status, faulty.out.count("\n"), faulty.err.count("\n")) == (1, 2, 1)
    assert not Path("cup").exists()

    entry_list(sources, "ann;;Ann", "bob", "cat")
    with monkeypatch.context() as patch:
        patch.setattr("ladder.submission.submit.submit", rejecting(submit, "cat"))
        unfit = command("tournament", "swiss", "cup", "--entries", file, *TRUSTED)
    with Ladder.open(Home(Path("cup"))) as ladder:
        assert "cat version 1 may not play" in unfit.err
        assert queries.playing(ladder) == []
        entry_list(sources, "bob", "ann;;Ann")
        assert command("tournament", "swiss", "cup", "--entries", file).err == ""
        assert sorted(version.bot for version in queries.playing(ladder)) == ["ann", "bob"]


@pytest.mark.costly
@pytest.mark.usefixtures("unplayed")
def test_authors_are_kept_of_a_killed_command(
    command: Command, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that is killed while bots are tried continues with the authors of its list."""

    def killed(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    make_bot("bob")
    file = entry_list(make_bot("ann").parent, "ann;2;Ann", "bob;1")
    with monkeypatch.context() as patch:
        patch.setattr("ladder.submission.submit.submit", killed)
        command("tournament", "swiss", "cup", "--entries", file, *TRUSTED)
    again = command("tournament", "swiss", "cup")

    assert again.err == ""
    with Ladder.open(Home(Path("cup"))) as ladder:
        plan = directing.plan_of(ladder)
    assert (plan.seeding, plan.authors, plan.teams) == ("given", ("", "Ann"), ())


@pytest.mark.usefixtures("unplayed", "ladder")
def test_killed_while_bots_are_tried(
    command: Command, home: Home, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch, fake_host: Any
) -> None:
    """A killed `tournament` command continues without names, from any folder."""

    def killed(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    eve = make_bot("eve").relative_to(Path.cwd())
    with monkeypatch.context() as patch:
        patch.setattr("ladder.submission.submit.submit", killed)
        words = ("tournament", "knockout", "cup", "ann", eve, "--ladder", home.path)
        command(*words, "--seeding", "given", "--sudden-death", 1, "--title", "The cup")
    cup = Path("cup").resolve()
    monkeypatch.chdir("/")
    again = command("tournament", "knockout", cup)

    assert again.err == ""
    assert "The cup" in again.out
    with Ladder.open(Home(cup)) as opened:
        plan = contest.read(opened)
    assert isinstance(plan, TournamentPlan)
    assert (plan.sudden_death, plan.seeding, len(plan.entrants)) == (1, "given", 2)


def test_a_decision_waits_for_the_plan(swiss: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A decision waits while a run plans, and is stored afterwards."""
    home, waiting, flock = Home(swiss), threading.Event(), fcntl.flock

    def lock(file: int, how: int) -> None:
        if how == fcntl.LOCK_EX:
            waiting.set()
        flock(file, how)

    def decide() -> None:
        with Ladder.open(home) as ladder:
            directing.set_paused(ladder, None, paused=True)

    monkeypatch.setattr(fcntl, "flock", lock)
    deciding = threading.Thread(target=decide)
    with home.files_stay():
        deciding.start()
        assert waiting.wait(60)
        assert decided(swiss) == []
    deciding.join()
    assert decided(swiss) == [("pause", None)]
