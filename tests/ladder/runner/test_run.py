"""A run under adverse conditions: void matches, dead workers, Ctrl-C, a second run."""

import signal
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ladder.model.matches import MatchState
from ladder.results import queries
from ladder.results.rerating import rerate
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from referee.core.verdicts import MOST_ATTEMPTS, MOST_PAUSES, MOST_VOID_IN_A_ROW

pytestmark = pytest.mark.costly

Run = subprocess.Popen[str]
Start = Callable[..., Run]
MakeBot = Callable[..., Path]
Enter = Callable[..., object]
Submit = Callable[..., None]


@pytest.fixture
def submit(home: Home, make_bot: MakeBot, enter: Enter) -> Submit:
    """Submit bots with these names."""

    def submit_all(*names: str) -> None:
        with Ladder.open(home) as ladder:
            for name in names:
                enter(ladder, make_bot(name))

    return submit_all


def states(home: Home) -> list[str]:
    """Return the states of all matches, in order."""
    with Ladder.open(home) as ladder:
        return [str(line.state) for line in reversed(queries.latest(ladder, 1000))]


def starting_with(word: str, out: str) -> list[str]:
    """Return the lines of a report that begin with a word, without it."""
    return [line.removeprefix(f"{word} ") for line in out.splitlines() if line.startswith(word)]


@pytest.mark.costly
def test_rounds_are_played(home: Home, start: Start, submit: Submit) -> None:
    """All matches of the rounds are played, and the run reports each and their number."""
    submit("ann", "bob", "cat", "dan", "eve")

    out, err = start(5).communicate()

    assert err == ""
    assert states(home) == ["done"] * 10
    assert starting_with("advance", out) == ["4"] * 10
    assert set(starting_with("expect", out)) == {"10"}
    assert out.splitlines()[-1] == "report 10 0 0 False"


def test_who_is_slow_is_told_and_plays_all_that_is_planned(
    home: Home, start: Start, submit: Submit
) -> None:
    """A run says once that a bot is slow, marks it, and leaves no match of it unplayed."""
    submit("ann", "bob", "cat", "dan", "eve", "slow")

    out, _ = start(12).communicate()

    (told,) = [line for line in out.splitlines() if "slow" in line]
    assert told.startswith("say slow version 1 thinks far longer than the others: ")
    with Ladder.open(home) as ladder, ladder.database.read() as tx:
        assert [version.bot for version in bots.active(tx) if version.slow] == ["slow"]
        assert matches.first_open(tx) is None
        assert matches.last_round(tx) == 12


def test_a_run_ends_after_its_limit_of_matches(home: Home, start: Start, submit: Submit) -> None:
    """Exactly the limit of matches is played; the next run begins with the rest."""
    submit("ann", "bob", "cat", "dan", "eve")

    out, _ = start(5, most=7).communicate()
    again, _ = start(5, most=2).communicate()

    assert set(starting_with("expect", out)) == {"7"}
    assert out.splitlines()[-1] == "report 7 0 1 False"
    assert again.splitlines()[-1] == "report 2 0 1 False"
    assert states(home) == ["done"] * 9 + ["planned"]


def test_a_match_that_is_tried_again_counts_once(home: Home, start: Start, submit: Submit) -> None:
    """The limit counts matches, not attempts: void matches are still retried and given up."""
    submit("voider")

    out, _ = start(3, workers=1, most=1).communicate()

    assert out.splitlines()[-1] == "report 0 1 0 False"
    assert states(home) == ["void"]


def test_fewer_bots_than_seats(home: Home, start: Start, submit: Submit) -> None:
    """The stand-in takes empty seats."""
    submit("ann", "bob")

    start(3, workers=1).communicate()

    with Ladder.open(home) as ladder:
        tables = [
            {seat.version and seat.version.bot for seat in m.seats}
            for m in queries.latest(ladder, 9)
        ]
    assert tables == [{"ann", "bob", None}] * 3


def test_only_active_versions_play(
    home: Home, start: Start, submit: Submit, make_bot: MakeBot, enter: Enter
) -> None:
    """Retired bots and replaced versions are not scheduled."""
    submit("ann", "bob", "cat")
    with Ladder.open(home) as ladder:
        ladder.retire("cat")
        enter(ladder, make_bot("ann", "better"))

    start(2, workers=1).communicate()

    with Ladder.open(home) as ladder:
        seated = {str(seat.version) for line in queries.latest(ladder, 9) for seat in line.seats}
    assert seated == {"ann version 2", "bob version 1", "None"}


def test_void_match_is_given_up(home: Home, start: Start, submit: Submit) -> None:
    """A match that is always void is retried, then given up with a warning; others are played."""
    submit("ann", "bob", "cat", "dan", "eve", "fay", "gus", "voider")

    out, _ = start(7, workers=1).communicate()

    assert sorted(states(home)) == ["done"] * 7 + ["void"] * 7
    warnings = starting_with("warn", out)
    assert len(warnings) == 7 * MOST_ATTEMPTS
    assert all("the machine is tired" in warning for warning in warnings)
    assert sum(f"given up after {MOST_ATTEMPTS} attempts" in warning for warning in warnings) == 7
    assert out.splitlines()[-1] == "report 7 7 0 False"
    with Ladder.open(home) as ladder:
        assert queries.waiting(ladder) == 0


def test_patience_ends(home: Home, start: Start, submit: Submit) -> None:
    """A match that is void because the machine is slow is played without patience at last."""
    submit("brake")

    out, _ = start(1, workers=1).communicate()

    assert states(home) == ["done"]
    assert len(starting_with("warn", out)) == MOST_ATTEMPTS - 1


def test_a_pause_of_the_referee_is_no_attempt(home: Home, start: Start, submit: Submit) -> None:
    """A match voided by a pause is retried with the same patience, at no cost of attempts."""
    submit("pauser", "brake")
    (home.path / "pauses").write_text(str(MOST_ATTEMPTS + 2))

    out, _ = start(1, workers=1).communicate()

    assert states(home) == ["done"]
    warnings = starting_with("warn", out)
    assert sum("is played again: the referee was paused" in one for one in warnings) == 5
    with Ladder.open(home) as ladder:
        assert [line.attempts for line in queries.latest(ladder, 9)] == [MOST_ATTEMPTS - 1]


def test_a_machine_that_pauses_all_the_time_ends_the_run(
    home: Home, start: Start, submit: Submit
) -> None:
    """A run that is paused all the time ends with the reason; the match stays planned."""
    submit("pauser")
    (home.path / "pauses").write_text("1000")

    run = start(1, workers=1)
    _, err = run.communicate()

    assert run.returncode == 1
    assert f"was void {MOST_PAUSES} times: the referee was paused for 9.0 s" in err
    assert states(home) == ["planned"]


def test_dead_worker_is_replaced(home: Home, start: Start, submit: Submit) -> None:
    """A worker that dies is replaced, and its match is played again."""
    submit("ann", "bob", "cat", "once-killer")

    out, _ = start(3, workers=1).communicate()

    assert states(home) == ["done"] * 3
    (warning,) = starting_with("warn", out)
    assert "its worker was ended by SIGKILL" in warning
    with Ladder.open(home) as ladder:
        assert [line.attempts for line in reversed(queries.latest(ladder, 9))] == [1, 0, 0]


def test_bug_in_a_match(home: Home, start: Start, submit: Submit) -> None:
    """A bug in the referee shows its traceback, and the match is void, not lost."""
    submit("buggy")

    out, err = start(1, workers=1).communicate()

    assert "ZeroDivisionError" in err
    assert "its worker exited with status 1" in starting_with("warn", out)[0]
    assert states(home) == ["void"]


def test_nothing_works(home: Home, start: Start, submit: Submit) -> None:
    """If match after match is void the run stops with the reason, and no match is used up."""
    submit("voider")

    run = start(20, workers=1)
    out, err = run.communicate()

    assert run.returncode == 1
    assert f"{MOST_VOID_IN_A_ROW} attempts in a row were void" in err
    assert "the machine is tired" in err
    assert len(starting_with("warn", out)) == MOST_VOID_IN_A_ROW
    assert states(home)[-1] == "planned"


def interrupt(run: Run) -> None:
    """Press Ctrl-C, and wait until the run has noticed it."""
    run.send_signal(signal.SIGINT)
    assert run.stdout is not None
    while not (line := run.stdout.readline()).startswith("say Stopping"):
        assert line


def test_interrupted_once(home: Home, gate: Home, start: Start, submit: Submit) -> None:
    """After one Ctrl-C the match under way is finished and stored, and no other begun."""
    submit("gate")
    run = start(5, workers=1)
    (gate.path / "started").read_text()

    interrupt(run)
    (gate.path / "go").write_text("")
    out, err = run.communicate(timeout=240)

    assert (err, run.returncode) == ("", 0)
    assert out.splitlines()[-1] == "report 1 0 0 True"
    assert states(home) == ["done"]


def test_interrupted_twice(home: Home, gate: Home, start: Start, submit: Submit) -> None:
    """A second Ctrl-C ends the run during the match, which is played again later."""
    submit("gate")
    run = start(5, workers=1)
    (gate.path / "started").read_text()

    interrupt(run)
    run.send_signal(signal.SIGINT)
    _, err = run.communicate()

    assert "KeyboardInterrupt" in err
    assert states(home) == ["running"]


def test_second_run_is_refused(home: Home, gate: Home, start: Start, submit: Submit) -> None:
    """While one run is under way another is refused, and the first is not disturbed."""
    submit("gate")
    first = start(1, workers=1)
    (gate.path / "started").read_text()

    second = start(1, workers=1)
    _, err = second.communicate(timeout=240)
    (gate.path / "go").write_text("")
    out, _ = first.communicate()

    assert f"process {first.pid} is at work on the ladder" in err
    assert out.splitlines()[-1] == "report 1 0 0 False"


def test_bot_submitted_meanwhile(home: Home, gate: Home, start: Start, submit: Submit) -> None:
    """A bot that is submitted while the ladder runs plays from the next round on."""
    submit("gate")
    run = start(2, workers=1)
    (gate.path / "started").read_text()

    submit("ann")
    with Ladder.open(home) as ladder:
        ladder.retire("gate")
    (gate.path / "go").write_text("")
    run.communicate()

    with Ladder.open(home) as ladder:
        last = queries.latest(ladder, 1)[0]
    assert {seat.version and seat.version.bot for seat in last.seats} == {"ann", None}


def test_left_over_matches_are_played_first(home: Home, start: Start, submit: Submit) -> None:
    """Matches left over from an earlier run are played first, without a new round."""
    submit("ann", "bob", "cat", "dan")
    start(2, workers=1).communicate()
    with sqlite3.connect(home.database) as connection:
        connection.execute("delete from records")
        connection.execute("update matches set state = 'running'")
    connection.close()

    out, _ = start(2, workers=1).communicate()

    assert states(home) == [MatchState.DONE] * 2
    assert starting_with("expect", out) == ["2"]


def test_missing_files_are_not_the_bots_fault(home: Home, start: Start, submit: Submit) -> None:
    """A run stops if the only bot's stored files are missing, without a forfeit or a match."""
    submit("ann")
    with Ladder.open(home) as ladder:
        bundle = home.bundle(queries.versions(ladder, "ann")[0].digest)
    bundle.rename(home.path / "elsewhere")

    run = start(1, workers=1)
    out, err = run.communicate()

    assert run.returncode == 1
    assert "warn the files of ann version 1 are missing" in out
    assert "no bot plays in this ladder" in err
    assert states(home) == []


def test_what_was_given_up_is_played_by_the_next_run(
    home: Home, start: Start, submit: Submit, make_bot: MakeBot
) -> None:
    """Matches that the machine voided are played and rated by the next run."""
    submit("ann", "bob", "cat", "dan", "eve", "sick")
    start(6, workers=1).communicate()
    assert states(home).count("void") > 0
    (home.path / "well").touch()

    out, err = start(6, workers=1).communicate()

    assert err == ""
    assert set(states(home)) == {"done"}
    assert not starting_with("warn", out)
    with Ladder.open(home) as ladder:
        assert queries.waiting(ladder) == 0
        assert rerate(ladder) == {}


@pytest.mark.costly
def test_what_never_goes_well_stops_no_other(home: Home, start: Start, submit: Submit) -> None:
    """Each match that was given up gets one attempt in the next run, and others are played."""
    submit("ann", "bob", "cat", "dan", "eve", "fay", "gus", "voider")
    start(12, workers=1).communicate()
    given_up = states(home).count("void")
    assert given_up > MOST_VOID_IN_A_ROW
    with Ladder.open(home) as ladder:
        ladder.retire("voider")

    out, err = start(14, workers=1).communicate()

    assert err == ""
    assert len(starting_with("warn", out)) == given_up
    assert all(f"after {MOST_ATTEMPTS + 1} attempts" in w for w in starting_with("warn", out))
    assert states(home).count("void") == given_up
    assert states(home)[-1] == "done"
