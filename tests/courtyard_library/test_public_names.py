"""The public names keep their signatures: who changes one changes this list, and the changelog."""

import inspect
import subprocess
import sys
from typing import Any

import courtyard
import pytest

FUNCTIONS = {
    "frame": "(rows)",
    "games": "()",
    "kit": "(strategy)",
    "ladder_matches": "(folder)",
    "ladder_record": "(folder, match_id)",
    "load_record": "(path)",
    "play": "(game, bots, *, seed=None, config=None, clock=None, sandbox=None)",
    "search": "(playouts=400)",
    "start": "(game, seats=None, *, seed=None, config=None)",
}
CLASSES = {
    "GameEnv": {
        "__init__": "(game, seats=None, *, config=None, rewards='place', render_mode=None)",
    },
    "SeatEnv": {
        "__init__": "(game, opponents, *, seat=None, config=None, rewards='place', "
        "render_mode=None)",
    },
    "Record": {
        "bots": "",
        "decisions": "()",
        "game": "",
        "match_id": "",
        "message": "",
        "places": "",
        "points": "",
        "results": "()",
        "save": "(path)",
        "seed": "",
        "to_html": "(review=None)",
        "verify": "()",
    },
    "State": {
        "actions_taken": "",
        "apply": "(action)",
        "full": "",
        "game": "",
        "is_over": "",
        "legal_actions": "",
        "options": "",
        "places": "",
        "points": "",
        "prompt": "",
        "redraw": "(seat, seed)",
        "seats": "",
        "step": "",
        "take": "(index)",
        "to_act": "",
        "view": "(seat=None)",
    },
    "Table": {
        "__init__": "(game, bots, *, clock=None, sandbox=None)",
        "close": "()",
        "game": "",
        "play": "(*, seed=None, config=None)",
    },
    "View": {
        "facts": "",
        "features": "",
        "game": "",
        "observation": "",
        "options": "",
        "prompt": "",
        "seat": "",
        "seats": "",
        "step": "",
        "text": "",
    },
}
OTHERS = {
    "ClockConfig",
    "ConfigError",
    "CourtyardError",
    "IllegalAction",
    "RefereeError",
    "UsageError",
}
"""Named as they are in the referee, whose own tests hold them."""


def signature(function: Any) -> str:
    """The parameters of a function, without types; without the first one of a method."""
    parameters = [
        one.replace(annotation=inspect.Parameter.empty)
        for one in inspect.signature(function).parameters.values()
        if one.name != "self"
    ]
    return str(inspect.Signature(parameters))


def members(name: str, instance: Any) -> dict[str, str]:
    """The public members of a class: the parameters of methods, and nothing for values."""
    kind = getattr(courtyard, name)
    names = {one for one in (*dir(kind), *vars(instance)) if not one.startswith("_")}
    found = {one: getattr(kind, one, None) for one in names}
    listed = {one: signature(it) if inspect.isfunction(it) else "" for one, it in found.items()}
    return listed | ({"__init__": signature(kind)} if "__init__" in CLASSES[name] else {})


def test_the_public_names_are_these() -> None:
    """Each can be imported, and there are no others."""
    assert {*FUNCTIONS, *CLASSES, *OTHERS} == {*courtyard.__all__}
    assert dir(courtyard) == courtyard.__all__
    assert all(getattr(courtyard, name).__name__ == name for name in courtyard.__all__)
    with pytest.raises(AttributeError, match="no attribute 'plays'"):
        _ = courtyard.plays


def test_the_public_functions_have_these_parameters() -> None:
    """With these names, in this order."""
    assert {name: signature(getattr(courtyard, name)) for name in FUNCTIONS} == FUNCTIONS


def test_the_public_classes_have_these_members() -> None:
    """And no others."""
    state = courtyard.start("courtisans", seed="names")
    table = courtyard.Table("courtisans", [None, None])
    made = {"State": state, "View": state.view(), "Table": table, "Record": table.play(seed="n")}
    found = {name: members(name, instance) for name, instance in made.items()}
    assert found == {name: members for name, members in CLASSES.items() if name in made}
    for name in CLASSES.keys() - made:  # the members of environments are others' contracts
        assert signature(getattr(courtyard, name)) == CLASSES[name]["__init__"]


def test_bots_import_the_messages_alone() -> None:
    """The package loads nothing else before it is asked for."""
    program = "import sys, courtyard.v1.game_pb2; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    loaded = done.stdout.decode().split()
    assert [name for name in loaded if name.startswith(("courtyard_library", "referee"))] == []


def test_a_name_that_needs_an_extra_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where something of the extra is missing."""
    monkeypatch.delitem(sys.modules, "courtyard_library.ladders", raising=False)
    monkeypatch.setitem(sys.modules, "ladder.results", None)
    with pytest.raises(ImportError, match=r"pip install '\.\[ladder\]'"):
        _ = courtyard.ladder_matches
