"""Matches of a version of the rules are dropped from the rating, and kept again."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ladder.model.errors import LadderError
from ladder.model.matches import MatchState, PlannedMatch, Played
from ladder.model.rules import RulesPlayed
from ladder.results import queries
from ladder.results.strengths import rating_of_record
from ladder.runner.voiding import drop_rules, keep_rules, void
from ladder.server.public.reader import PublicReader
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bot_results, bots, matches
from ladder.storage.tables.records import pack
from referee.conformance.testing import random_record
from referee.core.errors import RefereeError
from referee.hosting.match_runner import MatchSpec

pytestmark = pytest.mark.both_engines

OLD, NEW = "0", "1"
"""Versions of the rules: those of Courtisans are 1."""


@pytest.fixture
def both(ladder: Ladder, played: Callable[..., Played]) -> Ladder:
    """A ladder of four bots with five matches of old rules, in two of which dan forfeits."""
    with ladder.database.write() as tx:
        four = tuple(bots.active(tx))
        plan = [PlannedMatch(f"{number:032x}", number, 0, four) for number in range(1, 9)]
        matches.add(tx, plan)
        for number, match in enumerate(plan):
            old = number < 5
            ranks = (1, 2, 3, 4) if old else (4, 3, 2, 1)
            result = played(match, *ranks, forfeits=(3,) if number < 2 else ())
            matches.finish(tx, replace(result, rules_version=OLD if old else NEW))
    return ladder


def counted(ladder: Ladder) -> dict[str, tuple[int, float]]:
    """How many matches count for each bot, and with how many wins."""
    return {t.version.bot: (t.matches, t.wins) for t in queries.tallies(ladder)}


def test_all_rules_count_until_the_owner_decides(both: Ladder) -> None:
    """They are told apart by what the records say."""
    assert queries.rules_played(both) == RulesPlayed({OLD: 5, NEW: 3})
    assert counted(both)["ann"] == (8, 5)
    assert "rules 0 and 3 matches of rules 1" in queries.rules_played(both).summary


def test_dropped_matches_count_nowhere(both: Ladder) -> None:
    """Neither in ratings and tallies nor among a bot's opponents, seats and faults."""
    assert drop_rules(both, OLD, "the dead won") == 5

    assert counted(both) == {"ann": (3, 0), "bob": (3, 0), "cat": (3, 0), "dan": (3, 3)}
    assert {s.blocks for s in rating_of_record(both).strengths.values()} == {3}
    assert queries.forfeits(both, "dan") == {}
    with both.database.read() as tx:
        place = matches.last_place(tx)
        assert bot_results.matches_of(tx, "dan", (), place) == 3
        assert {each.matches for each in bot_results.opponents(tx, "dan", (), place)} == {3}
        assert bot_results.faults(tx, "dan", (), place) == []
    assert queries.rules_played(both).summary == "Rules 1 only: 5 matches of rules 0 dropped."


def test_dropped_matches_are_shown_with_their_results(both: Ladder) -> None:
    """Lists and pages have them, and say why they are dropped."""
    drop_rules(both, OLD, "the dead won")
    line = queries.match(both, f"{1:032x}")

    assert (line.state, line.reason, line.rules_version) == (
        MatchState.DROPPED,
        "the dead won",
        OLD,
    )
    assert [seat.result.rank for seat in line.seats if seat.result] == [1, 2, 3, 4]
    snapshot = PublicReader(both).snapshot()
    assert len(snapshot.finished) == 8
    assert {tally.matches for tally in snapshot.tallies} == {3}
    assert snapshot.rules.dropped == {OLD: 5}
    assert snapshot.finished.find(f"{1:032x}") == line


def test_kept_matches_count_as_before(both: Ladder) -> None:
    """Ratings and tallies are the same to the last bit."""
    rating, tallies = rating_of_record(both), counted(both)
    drop_rules(both, OLD, "a reason")
    assert rating_of_record(both) != rating

    assert keep_rules(both, OLD) == 5

    assert (rating_of_record(both), counted(both)) == (rating, tallies)
    assert queries.match(both, f"{1:032x}").reason is None


def test_a_void_match_stays_void(both: Ladder) -> None:
    """Dropping and keeping rules changes no match that was taken out by itself."""
    void(both, [queries.match(both, f"{1:032x}")], "by itself")
    drop_rules(both, OLD, "all of them")
    void(both, [queries.match(both, f"{2:032x}")], "for good")

    assert keep_rules(both, OLD) == 3
    assert [queries.match(both, f"{i:032x}").state for i in (1, 2, 3)] == ["void", "void", "done"]


def test_what_cannot_be_dropped_or_kept_is_told(both: Ladder) -> None:
    """In one line: unknown rules, twice the same, and a contest."""
    with pytest.raises(LadderError, match=r"no match was played by rules '7'; .* here: 0, 1"):
        drop_rules(both, "7", "")
    with pytest.raises(LadderError, match="the matches of rules 0 count already"):
        keep_rules(both, OLD)
    drop_rules(both, OLD, "")
    with pytest.raises(LadderError, match="the matches of rules 0 are dropped already"):
        drop_rules(both, OLD, "")


def test_a_contests_matches_stay(both: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Later rounds follow from them, whatever the rules were."""
    for kind in ("duel", "tournament"):
        contest = replace(both.settings, contest={"contest": kind})
        monkeypatch.setattr(both, "settings", contest)
        with pytest.raises(LadderError, match=f"a {kind}'s matches stay"):
            drop_rules(both, OLD, "")


def test_dropped_rules_are_not_played(both: Ladder, command: Callable[..., Any]) -> None:
    """A run refuses to play matches that would not count, and says what to do."""
    drop_rules(both, NEW, "")

    ended = command("run", "--workers", 1, "--ladder", both.home.path)

    assert ended.status == 1
    assert "error: rules 1 of courtyard" in ended.err
    assert ended.err.endswith("or `ladder void --rules 1 --keep`\n")


@pytest.mark.parametrize(
    ("played_by", "told", "others"),
    [
        (RulesPlayed(), "", ""),
        (RulesPlayed({"2": None}), "", ""),
        (RulesPlayed({"1": 1}), "", "1 match of rules 1"),
        (
            RulesPlayed({"1": 1, "2": 1500}),
            "Several versions of the rules count: 1 match of rules 1 and 1,500 matches of rules 2.",
            "1 match of rules 1",
        ),
        (
            RulesPlayed({"2": 5, "3": 6}, {"1": 412}),
            "Rules 2 and 3 only: 412 matches of rules 1 dropped.",
            "6 matches of rules 3",
        ),
        (RulesPlayed({}, {"1": 2}), "No match counts: 2 matches of rules 1 dropped.", ""),
    ],
)
def test_what_counts_is_told_in_a_sentence(played_by: RulesPlayed, told: str, others: str) -> None:
    """Nothing of a single version; what other rules than the installed ones, here 2, count."""
    assert (played_by.summary, played_by.others("2")) == (told, others)


def test_a_worker_with_other_rules_plays_nothing() -> None:
    """Its match is void, with a line that says what to install."""
    record = random_record("courtisans", 2, "elsewhere")
    spec = MatchSpec(record.match_id, "courtisans", (None, None), "", rules_version="2")

    with pytest.raises(RefereeError, match="by rules '1', the ladder by rules '2'"):
        pack(record, {}, spec)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "name either matches, or a version of the rules"),
        (("ab", "--rules", "1"), "name either matches, or a version of the rules"),
        (("ab", "--keep"), "--keep belongs to --rules"),
    ],
)
def test_the_command_says_what_it_needs(
    command: Callable[..., Any], ladder: Ladder, words: tuple[str, ...], told: str
) -> None:
    """Matches or rules, and only rules can be kept."""
    ended = command("void", *words, "--ladder", ladder.home.path)

    assert ended.status == 1
    assert told in ended.err
