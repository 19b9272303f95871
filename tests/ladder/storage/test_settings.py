"""`ladder settings` shows all, and changes only what no result depends on."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text

from ladder.model.errors import LockedError, SettingsError
from ladder.model.settings import Aim, BuildNetwork, Scheduling
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import settings
from referee.games.base import ConfigError
from referee.sandbox.program import Level

pytestmark = pytest.mark.both_engines


def said(out: str) -> dict[str, str]:
    """Return the values of the settings in a printed table, by name."""
    lines = (re.split(r"  +", line.strip(), maxsplit=1) for line in out.splitlines())
    return {name: value for name, *values in lines for value in values}


def test_settings_are_shown(home: Home, command: Callable[..., Any]) -> None:
    """`settings` shows everything but the secret."""
    ended = command("settings", "--ladder", home.path)

    assert said(ended.out)["decision limit"] == "5 s"
    assert said(ended.out)["sandbox"] == "trusted"
    with Ladder.open(home) as ladder:
        assert ladder.settings.secret not in ended.out


def test_a_game_that_is_not_installed_is_no_damage(
    home: Home, command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command says in one line what is missing."""

    def missing(name: str) -> None:
        raise ConfigError(f"OpenSpiel is not installed: {name} needs it")

    monkeypatch.setattr(settings, "game_named", missing)
    ended = command("standings", "--ladder", home.path)

    assert ended.status == 1
    assert "error: the ladder's game cannot be played here: OpenSpiel is not installed" in ended.err
    assert "damaged" not in ended.err


def test_what_may_change_is_changed(home: Home, command: Callable[..., Any]) -> None:
    """A change holds for the next run; the rest stays."""
    with Ladder.open(home) as ladder:
        before = ladder.settings
    options = (
        "--sandbox",
        "best",
        "--build-network",
        "nobody",
        "--scheduler",
        "swiss",
        "--aim",
        "top",
        "--request-step",
        "20",
    )
    ended = command("settings", *options, "--ladder", home.path)

    assert ended.status == 0
    assert said(ended.out)["requests"] == "every 20 ms"
    with Ladder.open(home) as ladder:
        after = ladder.settings
    assert (before.request_step_ms, after.request_step_ms) == (0, 20)
    assert (after.sandbox, after.build_network) == (None, BuildNetwork.NOBODY)
    assert (after.scheduler, after.aim) == (Scheduling.SWISS, Aim.TOP)
    assert (after.clock, after.secret, after.deals) == (before.clock, before.secret, before.deals)


def test_a_ladder_with_a_retired_scheduler_opens(home: Home, command: Callable[..., Any]) -> None:
    """`settings` opens it; `run` refuses in one line that lists the schedulers."""
    with Ladder.open(home) as ladder, ladder.database.write() as tx:
        tx.execute(text("update ladder set scheduler = 'halite'"))

    shown = command("settings", "--ladder", home.path)
    assert (shown.status, shown.err) == (0, "")
    assert said(shown.out)["scheduler"] == "one that no longer exists: choose another"
    assert command("verify", "--ladder", home.path).status == 0
    refused = command("run", "--rounds", "1", "--ladder", home.path)
    assert refused.status == 1
    assert refused.err == (
        "error: this ladder's scheduler no longer exists; choose another with "
        "`ladder settings --scheduler`: mixed, optimal, balanced, random, swiss\n"
    )
    assert command("settings", "--scheduler", "balanced", "--ladder", home.path).status == 0
    assert "no bot plays" in command("run", "--rounds", "1", "--ladder", home.path).err


def test_nothing_changes_while_matches_are_played(ladder: Ladder) -> None:
    """No setting changes while a run plays."""
    with ladder.home.locked(), pytest.raises(LockedError):
        ladder.change({"sandbox": Level.STRICT})

    assert ladder.settings.sandbox is Level.TRUSTED


def test_what_results_depend_on_stays(ladder: Ladder) -> None:
    """The clock stays fixed."""
    with pytest.raises(SettingsError, match="bank_ms cannot be changed"):
        ladder.change({"bank_ms": 1})
