"""Bots with a planted weakness each: `counter` with one change, or no thought at all."""

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from courtyard_library.seats import Choose, KitBot, View
from referee.games.courtisans.cards import Role, Side
from referee.games.miracles import action as actions
from tests.sample_bots.conftest import bot_module

FAR = 1000.0
"""A worth beyond all others."""
Bot = Choose | KitBot


def candidates(game: str) -> Mapping[str, Bot]:
    """Return the sample bots of a game that answer at once, by name."""
    names = ("counter", "greedy", "random")
    return {name: _seated(bot_module(game, name)) for name in names}


def weak_bots() -> Mapping[str, tuple[str, Bot]]:
    """Return the game and the bot of each weakness."""
    of_courtisans = {
        "never attacks": _never_attacks,
        "ignores missions": _ignores_missions,
        "keeps nobles": _keeps_nobles,
        "all below the mat": _all_below,
    }
    of_miracles = {
        "never buys Renown": _never_buys,
        "places its weakest rogue": _weakest_first,
        "keeps out of fights": _keeps_out,
        "ends its turns early": _ends_early,
    }
    return {
        "first option, Courtisans": ("courtisans", first_option),
        **{name: _changed("courtisans", change) for name, change in of_courtisans.items()},
        "first option, Miracles": ("miracles", first_option),
        **{name: _changed("miracles", change) for name, change in of_miracles.items()},
    }


def first_option(_: View) -> int:
    """Take the first option of each step."""
    return 0


def _changed(game: str, change: Callable[[ModuleType], object]) -> tuple[str, Bot]:
    module = bot_module(game, "counter")
    change(module)
    return game, _seated(module)


def _seated(module: ModuleType) -> Bot:
    return KitBot(module.choose if hasattr(module, "choose") else module.Counter)


def _never_attacks(module: ModuleType) -> None:
    """What rivals have is worth nothing to it."""

    def stakes(forecast: Any) -> Mapping[int, float]:
        return {
            seat: float(seat == forecast.position.seat) for seat in range(forecast.position.seats)
        }

    module.Forecast._stakes = stakes


def _ignores_missions(module: ModuleType) -> None:
    module.Forecast.white_points = module.Forecast.blue_points = lambda *_: 0.0


def _keeps_nobles(module: ModuleType) -> None:
    """It puts a noble at hand into its own domain."""

    def keeps(position: Any, action: Any) -> bool:
        has_noble = any(card.role is Role.NOBLE for card in position.hand)
        return not has_noble or action.own_domain.card.role is Role.NOBLE

    _only(module, keeps)


def _all_below(module: ModuleType) -> None:
    """It puts every card at the Queen's table below the mat."""
    _only(module, lambda _, action: action.side is Side.BELOW)


def _only(module: ModuleType, allows: Callable[[Any, Any], bool]) -> None:
    """Let it choose among these turns."""
    all_of = module.Forecast._candidates

    def some_of(forecast: Any) -> Any:
        return [one for one in all_of(forecast) if allows(forecast.position, one[1])]

    module.Forecast._candidates = some_of


def _never_buys(module: ModuleType) -> None:
    module._WORTHS[actions.BuyRenown] = lambda *_: -FAR


def _weakest_first(module: ModuleType) -> None:
    """It places the rogue at hand that is worth least."""
    module._WORTHS[actions.PlaceRogue] = lambda forecast, action: (
        forecast.place(action) - FAR * module.WORTHS[action.rogue]
    )


def _keeps_out(module: ModuleType) -> None:
    """It places its rogues where the others have none, if it can."""

    def place(forecast: Any, action: Any) -> float:
        there = forecast.there(forecast.position.in_play, action.spot.neighbourhood)
        rivals = sum(rogue.owner != forecast.seat for rogue in there)
        return float(forecast.place(action) - FAR * rivals)

    module._WORTHS[actions.PlaceRogue] = place


def _ends_early(module: ModuleType) -> None:
    """It does nothing after the first step of its turn."""
    module._WORTHS[actions.EndTurn] = lambda *_: FAR
