"""A served ladder's report is worked out anew only now and then, however often it is asked for."""

from collections.abc import Callable

import pytest

from ladder.model.matches import PlannedMatch, Played
from ladder.server.public import report
from ladder.server.public.report import PublicReport
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches


def play(ladder: Ladder, played: Callable[..., Played], number: int) -> None:
    """Play a match with a deal of its own."""
    with ladder.database.write() as tx:
        match = PlannedMatch(f"{number:032x}", number, 0, tuple(bots.active(tx)))
        matches.add(tx, [match])
        matches.finish(tx, played(match, 1, 2, 3, 4))


@pytest.mark.costly
def test_it_is_kept_a_while(
    ladder: Ladder, played: Callable[..., Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a ladder plays, its report is up to a minute old; then it is of now."""
    play(ladder, played, 1)
    shown = PublicReport(ladder)
    first = shown.facts()
    play(ladder, played, 2)

    assert shown.facts() is first
    monkeypatch.setattr(report, "_KEPT_S", 0.0)
    monkeypatch.setattr(report, "_MOST_TIME_SPENT", 1e9)
    again = PublicReport(ladder)
    assert (first.matches, again.facts().matches) == (1, 2)
    play(ladder, played, 3)
    assert again.facts().matches == 3


def test_what_is_kept_secret_is_in_no_report(ladder: Ladder, played: Callable[..., Played]) -> None:
    """A match counts in the report once its deal is played on all seats."""
    with ladder.database.write() as tx:
        four = tuple(bots.active(tx))
        block = [PlannedMatch(f"{i:032x}", 1, i, four, deal="one") for i in range(2)]
        matches.add(tx, block)
        matches.finish(tx, played(block[0], 1, 2, 3, 4))
    before = [count.matches for count in PublicReport(ladder).facts().counts]
    with ladder.database.write() as tx:
        matches.finish(tx, played(block[1], 1, 2, 3, 4))

    assert {*before} == {0}
    assert {count.matches for count in PublicReport(ladder).facts().counts} == {2}
