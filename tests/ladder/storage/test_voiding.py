"""`ladder void` voids matches that should not count."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ladder.model import ids
from ladder.model.errors import LadderError
from ladder.model.matches import MatchState, PlannedMatch
from ladder.results import queries
from ladder.results.strengths import rating_of_record
from ladder.runner.voiding import void
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from ladder.storage.tables.records import pack
from referee.core.clock import Measured
from referee.core.faults import ENDED_STREAM, Fault, FaultKind
from referee.hosting.match_runner import MatchSpec
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of

pytestmark = pytest.mark.both_engines

Command = Callable[..., Any]


@pytest.fixture
def match_id(ladder: Ladder) -> str:
    """A finished match in which the bot on the last seat ended its stream."""
    settings = ladder.settings
    with ladder.database.write() as tx:
        four = tuple(bots.active(tx))
        digests = [version.digest for version in four]
        name = ids.public_match_id(settings.ladder_id, 1, 0, digests, "")
        seed = ids.master_seed(settings.secret, name)
        match = Match(MatchSetup(name, settings.game, 4, seed))
        asked = 0
        while (due := match.due) is not None:
            asked += due.seat == 3
            if due.seat == 3 and asked == 2:
                match.forfeit(Fault(FaultKind.DISCONNECTED, ENDED_STREAM), 80, Measured(80))
            else:
                thought = Measured(25_000_000)
                match.decide(next(iter(match.state.legal_actions())), 25_000_000, thought)
        seated = [SeatInfo(v.bot, str(v.number), v.digest) for v in four]
        matches.add(tx, [PlannedMatch(name, 1, 0, four)])
        spec = MatchSpec(name, settings.game, (None,) * 4, seed)
        matches.finish(tx, pack(record_of(match, seated, sandbox="strict"), {}, spec))
    return name


@pytest.mark.costly
def test_a_match_is_taken_out(command: Command, ladder: Ladder, match_id: str) -> None:
    """Nothing is wrong then, and the match rates no bot."""
    at = ("--ladder", ladder.home.path)
    assert {s.blocks for s in rating_of_record(ladder).strengths.values()} == {1}

    said = command("void", match_id[:12], *at)

    assert said.out == f"Match {match_id} is void and no longer counts.\n"
    assert "No problem found in the files and 0 matches" in command("verify", *at).out
    assert {s.blocks for s in rating_of_record(ladder).strengths.values()} == {0}
    with ladder.database.read() as tx:
        assert matches.record(tx, match_id)
    shown = command("match", match_id, *at).out
    assert " void: taken out by the ladder's owner" in shown
    assert ENDED_STREAM not in shown
    log = command("log", "dan", match_id, *at).out.splitlines()
    assert log[0] == f"Match {match_id} of round 1 has no result: it is void."
    assert log[1].endswith(" void: taken out by the ladder's owner")
    assert ENDED_STREAM not in log


def test_what_cannot_be_taken_out_stays(command: Command, ladder: Ladder, match_id: str) -> None:
    """`void` takes a match once, and voids none if one of several cannot be."""
    at = ("--ladder", ladder.home.path)
    assert "no match begins with 'ffff'" in command("void", match_id, "ffff", *at).err
    assert queries.match(ladder, match_id).state is MatchState.DONE

    command("void", match_id, "--reason", "played with the wrong files", *at)
    again = command("void", match_id, *at)

    assert again.status == 1
    assert again.err == f"error: match {match_id} is void, not done\n"
    assert "played with the wrong files" in command("match", match_id, *at).out


def test_a_match_of_a_tournament_stays(
    ladder: Ladder, match_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`void` refuses a contest's match, since later ones follow from it, and names a remedy."""
    match = queries.match(ladder, match_id)
    for kind, remedy in (
        ("duel", "play this again in a new folder"),
        ("tournament", f"`ladder annul {match_id[:12]} --why TEXT` lets it not count"),
    ):
        contest = replace(ladder.settings, contest={"contest": kind})
        monkeypatch.setattr(ladder, "settings", contest)

        with pytest.raises(LadderError, match=remedy):
            void(ladder, [match], "a reason")


def test_what_was_given_up_can_be_taken_out(command: Command, ladder: Ladder) -> None:
    """The owner may void a match that waits for the next run, for good."""
    with ladder.database.write() as tx:
        matches.add(tx, [PlannedMatch("a" * 32, 1, 0, tuple(bots.active(tx)))])
        matches.fail(tx, "a" * 32, "no memory", 1, postponed=True)
    at = ("--ladder", ladder.home.path)
    assert "the next run plays it again" in command("match", "aaaa", *at).out

    said = command("void", "aaaa", *at)

    assert (said.status, said.err) == (0, "")
    assert "the next run plays it again" not in command("match", "aaaa", *at).out
    with ladder.database.write() as tx:
        assert matches.resume(tx) == []
