"""Loads OpenSpiel's games by name, and refuses in one line those that cannot be played here."""

import difflib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from referee.games.plain import MOST_SEATS, ConfigError

_NAME = re.compile(r"[a-zA-Z0-9_]+(\([a-zA-Z0-9_=,.+() -]*\))?")
"""What file names, URLs and tables take: no separators of paths, no quotes."""
_LONGEST_NAME = 100
_SEATS = ("players", "num_players")
"""How OpenSpiel's games call the parameter that sets the number of players.

Not `numPlayers` of universal_poker, which crashes unless blinds, stacks and more go with it.
"""
_TRIAL = "import sys, pyspiel; pyspiel.load_game(sys.argv[1]).new_initial_state()"
_SEED = "rng_seed"
"""The parameter that sets the chance of those that draw it themselves."""


class Loaded(NamedTuple):
    """What the name of a game describes."""

    name: str
    """Without parameters."""
    parameters: Mapping[str, Any]
    type: Any
    """A `pyspiel.GameType`."""
    seats: range
    seats_parameter: str | None
    """None: the number of seats is fixed."""
    draws_itself: bool
    """Whether chance is drawn by OpenSpiel from a seed, not by us."""

    def for_deal(self, seats: int, seed: int) -> Any:
        """Return the `pyspiel.Game` for this many seats; the seed is for games that draw."""
        parameters = dict(self.parameters)
        if self.seats_parameter is not None:
            parameters[self.seats_parameter] = seats
        if self.draws_itself:
            parameters[_SEED] = seed
        return loaded(self.name, parameters)


def find(text: str) -> Loaded:
    """Return what a name describes; raise `ConfigError`, with one line, if it is not playable."""
    spiel = pyspiel()
    if not _NAME.fullmatch(text) or len(text) > _LONGEST_NAME:
        raise ConfigError(
            f"{text!r:.120} is no name of an OpenSpiel game: write NAME or NAME(KEY=VALUE,...)"
            f" in letters, digits, spaces and _=,.+-(), at most {_LONGEST_NAME} characters"
        )
    name = text.partition("(")[0]
    known = {each.short_name: each for each in spiel.registered_games()}
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        meant = f" (did you mean {near[0]!r}?)" if near else ""
        raise ConfigError(f"OpenSpiel {spiel.__version__} has no game {name!r}{meant}")
    if not known[name].default_loadable and text == name:
        needed = ", ".join(known[name].parameter_specification)
        raise ConfigError(f"OpenSpiel's {name!r} needs parameters: {name}({needed}=...)")
    if text != name:
        _try_apart(text)
    with quiet():
        try:
            parameters = spiel.game_parameters_from_string(text)
        except spiel.SpielError as error:
            raise _refused(text, error) from None
    parameters.pop("name", None)
    game = loaded(name, parameters)
    kind = game.get_type()
    free = [one for one in _SEATS if one in known[name].parameter_specification]
    seats_parameter = free[0] if free and free[0] not in parameters else None
    seats = range(game.num_players(), game.num_players() + 1)
    if seats_parameter is not None:
        seats = _seats(kind, name, parameters, seats_parameter)
    found = Loaded(
        name,
        parameters,
        kind,
        seats,
        seats_parameter,
        draws_itself=kind.chance_mode == spiel.GameType.ChanceMode.SAMPLED_STOCHASTIC,
    )
    _check_playable(text, found)
    return found


def _try_apart(text: str) -> None:
    """Raise `ConfigError` if OpenSpiel crashes on these parameters, which ends a process."""
    trial = [sys.executable, "-P", "-c", _TRIAL, text]
    status = subprocess.run(trial, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if status.returncode < 0:
        how = signal.Signals(-status.returncode).name
        raise ConfigError(
            f"OpenSpiel {pyspiel().__version__} crashes ({how}) when it loads {text!r}: "
            "choose other parameters"
        )


def _seats(kind: Any, name: str, parameters: Mapping[str, Any], seats_parameter: str) -> range:
    """Return the numbers of players, from the least without a gap, that OpenSpiel loads."""
    least = max(2, kind.min_num_players)
    for seats in range(least, min(MOST_SEATS, kind.max_num_players) + 1):
        try:
            game = loaded(name, {**parameters, seats_parameter: seats})
        except ConfigError:
            return range(least, seats)
        if game.num_players() != seats:
            return range(least, seats)
    return range(least, min(MOST_SEATS, kind.max_num_players) + 1)


def _check_playable(text: str, found: Loaded) -> None:
    """Raise `ConfigError` if the referee cannot play this."""
    spiel, kind = pyspiel(), found.type
    reason = None
    if kind.dynamics == spiel.GameType.Dynamics.MEAN_FIELD:
        reason = "its players are a population, not seats"
    elif not found.seats or found.seats == range(1, 2):
        reason = "it is for one player"
    elif found.seats[-1] > MOST_SEATS:
        reason = f"it is for {found.seats[-1]} players, and a table seats at most {MOST_SEATS}"
    elif kind.action_structs_only:
        reason = "it has no numbered actions"
    elif not (kind.provides_information_state_string or kind.provides_observation_string):
        reason = "it does not tell a player in text what it may know"
    elif found.draws_itself and _SEED not in kind.parameter_specification:
        reason = "its chance cannot be drawn from the deal"
    if reason is not None:
        raise ConfigError(f"OpenSpiel's {text!r} cannot be played: {reason}")


def loaded(name: str, parameters: Mapping[str, Any]) -> Any:
    """Return a `pyspiel.Game`; raise `ConfigError` if OpenSpiel refuses the parameters."""
    spiel = pyspiel()
    with quiet():
        try:
            return spiel.load_game(name, dict(parameters))
        except spiel.SpielError as error:
            raise _refused(name, error) from None


def _refused(text: str, error: Exception) -> ConfigError:
    return ConfigError(f"OpenSpiel refuses {text!r}: {' '.join(str(error).split())}")


def pyspiel() -> Any:
    """Import OpenSpiel; raise `ConfigError` with what to install if it is not there."""
    try:
        import pyspiel as imported  # noqa: PLC0415 optional, and a name alone needs none
    except ImportError as error:
        if error.name != "pyspiel":
            raise
        raise ConfigError(
            "OpenSpiel is not installed: pip install '.[openspiel]' in Courtyard's repository"
        ) from None
    return imported


@contextmanager
def quiet() -> Iterator[None]:
    """Keep OpenSpiel from printing each error, which we tell in one line, to stderr."""
    sys.stderr.flush()
    stderr = os.dup(2)
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
