"""docs/openapi.json describes the author API as the code has it, and no change breaks clients."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from scripts import openapi
from tests.support.lacking import skip

Described = dict[str, Any]


def test_the_file_is_what_the_code_gives() -> None:
    """Generating anew changes nothing."""
    same = openapi.FILE.read_text() == openapi.text_of(openapi.generated())
    assert same, "run `make openapi` and commit what changed"


def test_no_change_breaks_clients() -> None:
    """What earlier commits promised, the code still gives."""
    now = openapi.generated()
    same = openapi.text_of(now)
    earlier = {commit: old for commit, old in openapi.promised() if openapi.text_of(old) != same}
    if not earlier:
        skip("no history to compare docs/openapi.json with", "git fetch --unshallow")
    broken = {commit: openapi.breaks(old, now) for commit, old in earlier.items()}

    assert {commit: told for commit, told in broken.items() if told} == {}


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


def _status(new: Described) -> None:
    new["paths"]["/submissions"]["post"]["responses"].pop("202")


def _absent(new: Described) -> None:
    new["components"]["schemas"]["Match"]["required"].remove("round")


def _limit(new: Described) -> None:
    new["paths"]["/matches"]["get"]["parameters"][1]["schema"]["maximum"] = 1


def _length(new: Described) -> None:
    new["components"]["schemas"]["SparRequest"]["properties"]["bot"]["maxLength"] = 1


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
        (_status, "POST /submissions no longer answers with 202"),
        (_absent, "Match.round may be absent"),
        (_limit, "GET /matches: the parameter limit takes less"),
        (_length, "SparRequest.bot takes less"),
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
