"""docs/openapi.json describes the author API as the code has it, and no change breaks clients."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from scripts import openapi

Described = dict[str, Any]


def test_the_file_is_what_the_code_gives() -> None:
    """Generating anew changes nothing."""
    same = openapi.FILE.read_text() == openapi.text_of(openapi.generated())
    assert same, "run `make openapi` and commit what changed"


def test_no_change_breaks_clients() -> None:
    """What the file promises, the code still gives."""
    assert openapi.breaks(json.loads(openapi.FILE.read_text()), openapi.generated()) == []


def _route(new: Described) -> None:
    del new["paths"]["/standings"]["get"]


def _answer(new: Described) -> None:
    content = new["paths"]["/matches"]["get"]["responses"]["200"]["content"]
    content["application/json"]["schema"] = {"$ref": "#/components/schemas/Match"}


def _field(new: Described) -> None:
    del new["components"]["schemas"]["Match"]["properties"]["round"]


def _type(new: Described) -> None:
    new["components"]["schemas"]["Match"]["properties"]["round"]["type"] = "string"


def _value(new: Described) -> None:
    new["components"]["schemas"]["MatchState"]["enum"].remove("void")


def _parameter(new: Described) -> None:
    new["paths"]["/matches"]["get"]["parameters"][0]["required"] = True


def _required(new: Described) -> None:
    new["components"]["schemas"]["BotChange"]["required"] = ["active"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_route, "GET /standings is gone"),
        (_answer, "GET /matches answers something else"),
        (_field, "Match.round is gone"),
        (_type, "Match.round has another type"),
        (_value, "MatchState no longer has the value void"),
        (_parameter, "GET /matches: the parameter bot is required"),
        (_required, "BotChange.active is required"),
    ],
)
def test_a_change_that_breaks_clients_is_told(
    change: Callable[[Described], None], told: str
) -> None:
    """A route or field that goes, or one that has to be sent, breaks clients."""
    old = openapi.generated()
    new = copy.deepcopy(old)
    change(new)

    assert openapi.breaks(old, new) == [told]


def test_what_is_added_breaks_nothing() -> None:
    """Clients go on without what they do not know."""
    new = openapi.generated()
    old = copy.deepcopy(new)
    _route(old)
    _field(old)

    assert openapi.breaks(old, new) == []
