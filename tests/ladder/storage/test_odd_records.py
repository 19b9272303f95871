"""A stored record that no referee wrote is damage, not a bug."""

import pytest

from ladder.model.errors import StoreError
from ladder.storage.tables.records import fault_of, seat_results
from referee.conformance.testing import random_record


def test_an_outcome_of_no_kind_is_damage() -> None:
    """A number that stands for no fault, as the reason of a forfeit."""
    record = random_record("courtisans", 2, "odd")
    record.outcomes[1].forfeit = 99  # type: ignore[assignment]

    with pytest.raises(StoreError, match="damaged: 99 is not a valid FaultKind"):
        seat_results(record)


def test_a_fault_of_no_kind_is_damage() -> None:
    """The same at a decision; who asks for another seat learns nothing of it."""
    record = random_record("courtisans", 2, "odd")
    decided = record.decisions[0]
    decided.fault.kind = 77  # type: ignore[assignment]

    with pytest.raises(StoreError, match="damaged: 77 is not a valid FaultKind"):
        fault_of(record, decided.seat)
    assert fault_of(record, 1 - decided.seat) is None
