"""Records older than some fields are unchanged: their seals hold, and they verify."""

import hashlib
from collections.abc import Mapping
from typing import Any

import pytest
from courtyard.v1 import record_pb2

from referee.conformance.testing import random_record
from referee.games.miracles.reading import standard_data
from referee.match.record import sealed_fields
from referee.match.verify import verify


def as_it_was() -> Mapping[str, Any]:
    """Older records' settings: no later field is set, and entries have one source each."""
    data = standard_data().to_mapping()
    for table in (data["rogues"], data["plot_cards"]):
        for entry in table.values():
            for name in [name for name in entry if name.endswith("_source")]:
                del entry[name]
    for name in ("pickpocket", "defrocked_priest"):
        data["rogues"][name]["source"] = "reconstruction"
    return {"max_rounds": 2, "data": data, "plots_at_any_time": False}


@pytest.fixture(scope="module")
def older() -> record_pb2.Record:
    """A record from before the later fields."""
    return random_record("miracles", 3, "before", as_it_was(), format=1)


def test_what_is_sealed_is_what_was_sealed(older: record_pb2.Record) -> None:
    """Every path and value, except the referee's version."""
    digest = hashlib.sha256()
    for path, value in sealed_fields(older):
        if path != "referee_version":
            digest.update(b"%s\0%s\0" % (path.encode(), value))
    # The older code's digest of this match.
    before = "20100ae770d4717726beb621d3e2b2cfe276c52b86bb13b135c53c554ef33c11"
    assert digest.hexdigest() == before


def test_an_older_record_is_true(older: record_pb2.Record) -> None:
    """The referee replays it by its original rules."""
    assert verify(older) == []


def test_a_later_field_is_sealed_where_it_is_set() -> None:
    """A later field is neither added to an older record nor removed from a newer."""
    older = random_record("miracles", 3, "before", as_it_was())
    older.config.miracles.plots_at_any_time = True
    older.config.miracles.data.rogues[3].bag_source = 3  # type: ignore[assignment]
    assert verify(older) == [
        "config.miracles.data.rogues[3].bag_source: it was edited, it does not match its seal",
        "config.miracles.plots_at_any_time: it was edited, it does not match its seal",
    ]
    newer = random_record("miracles", 3, "before", {"max_rounds": 2})
    assert verify(newer) == []
    newer.config.miracles.ClearField("plots_at_any_time")
    assert verify(newer) != []
