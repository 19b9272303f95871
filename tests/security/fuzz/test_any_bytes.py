"""Any bytes at all are a message or a fault, and nothing else."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from courtyard.v1 import referee_pb2
from hypothesis import given
from hypothesis import strategies as st

from referee.core.faults import BotFault, Fault
from referee.transports.framing import Framed, Framing, JsonLines

Check = Callable[[Fault], None]


def names(descriptor: Any) -> set[str]:
    """All field names below a message, in both spellings."""
    found: set[str] = set()
    for field in descriptor.fields:
        found |= {field.name, field.json_name}
        if field.message_type is not None:
            found |= names(field.message_type)
    return found


NAMES = sorted(names(referee_pb2.BotMessage.DESCRIPTOR))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["SIDE_ABOVE", "-0", "1e3", "NaN", "a match"])
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
)


def tried(framing: Framing, data: bytes, check: Check) -> None:
    """Take messages from some bytes until there are no more, or a fault."""
    framing.buffer += data
    try:
        while (message := framing.next()) is not None:
            assert isinstance(message, bytes)
    except BotFault as error:
        check(error.fault)


@pytest.mark.parametrize("framing", [Framed, JsonLines])
@given(data=st.binary(max_size=300) | st.text().map(str.encode))
def test_any_bytes_on_stdout(framing: type[Framing], data: bytes, checked: Check) -> None:
    """They come from wherever they like."""
    tried(framing(), data, checked)
    tried(framing(), data + b"\n", checked)


@given(value=VALUES)
def test_any_json_on_stdout(value: Any, checked: Check) -> None:
    """Values of any kind in any field, also where others belong."""
    tried(JsonLines(), json.dumps(value).encode() + b"\n", checked)


@given(number=st.integers(0, 100), data=st.binary(max_size=200))
def test_any_bytes_as_an_answer(number: int, data: bytes, shared_targets: Any) -> None:
    """In whatever match they come."""
    shared_targets.answer(number, data)
