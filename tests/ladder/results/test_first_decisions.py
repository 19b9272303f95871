"""What the report reads of first decisions: times, and what only the seat saw."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import text

from ladder.results.first_decisions import first_decisions
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from tests.support.played_ladder import SEATS, played_ladder


def test_first_decisions_are_read_with_what_only_the_seat_saw(
    tmp_path: Path, enter: Callable[..., object], make_bot: Callable[..., Path]
) -> None:
    """One for each bot and match, in order; missions and the hand, but not whose seat it is."""
    with Ladder.open(played_ladder(tmp_path / "ladder", enter, make_bot)) as ladder:
        with ladder.database.read() as tx:
            numbers = {version.id: i for i, version in enumerate(bots.active(tx))}
        found = list(first_decisions(ladder, numbers))

    assert len(found) == 2 * SEATS * SEATS
    assert {decision.version for decision in found} == {0, 1, 2}
    assert {decision.before for decision in found} == {0, 1, 2}
    hidden = set[str]().union(*(decision.hidden for decision in found))
    assert {"white", "blue", "hand.0.family"} <= hidden
    assert not {"seat", "turn", "deck_size"} & hidden
    assert len({decision.hidden["white"] for decision in found}) > 1


def test_a_damaged_record_is_passed_over(
    tmp_path: Path, enter: Callable[..., object], make_bot: Callable[..., Any]
) -> None:
    """The report is of the others; `ladder verify` tells of it."""
    with Ladder.open(played_ladder(tmp_path / "ladder", enter, make_bot)) as ladder:
        with ladder.database.read() as tx:
            numbers = {version.id: i for i, version in enumerate(bots.active(tx))}
        whole = len(list(first_decisions(ladder, numbers)))
        with ladder.database.write() as tx:
            tx.execute(
                text(
                    "update records set body = x'00' where match_id = "
                    "(select min(match_id) from records)"
                )
            )

        assert len(list(first_decisions(ladder, numbers))) == whole - SEATS
