"""`referee check-game` finds what is planted in the template game, and names it with a position."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from referee.cli.new_game import make
from referee.conformance.check.report import StepStatus
from referee.conformance.game_check.promises import Promise
from referee.conformance.game_check.run import check
from referee.conformance.game_check.subject import CheckedGame
from tests.support.installed import install


class Fault(NamedTuple):
    """A fault to plant: text of the rules, and what stands in its place."""

    old: str
    new: str
    promise: Promise
    sentence: str
    """A part of what the check says."""
    has_position: bool = True


GAMES = 2
PAY = "seat, chosen = len(self.chosen), (*self.chosen, action)"
OPTIONS = 'return {coins: f"pay {coins}" for coins in range(_MOST_COINS + 1)}'
DEAL = 'return stream.shuffled(range(1, config["deck"] + 1))[:seats]'
OWN = "own = self.chosen[seat] if seat < len(self.chosen) else None"
TOLD = 'event = Event(f"@{seat} has paid", {seat: f"You pay {action}"})'
CARD = '"card": self.cards[seat],'

FAULTS: Mapping[str, Fault] = {
    "the deal follows the order of a set": Fault(
        DEAL,
        "return [int(one) for one in {str(n) for n in range(1, 10)}][:seats]",
        Promise.PROCESS,
        "in another process, one seed gives another deal",
        has_position=False,
    ),
    "python's chance": Fault(
        PAY,
        PAY + "\n        import random\n        action += random.randrange(1_000)\n"
        "        chosen = (*self.chosen, action)",
        Promise.SEED,
        "played a second time, the same actions lead to another position",
    ),
    "seeded with the deal, but python's chance": Fault(
        DEAL,
        "import random\n        random.seed(stream.below(99))\n"
        '        return [random.randint(1, config["deck"]) for _ in range(seats)]',
        Promise.SEED,
        "the game uses Python's `random`, not the stream",
        has_position=False,
    ),
    "memory of earlier games": Fault(
        DEAL,
        'self.made = getattr(self, "made", 0) + 1\n        return [self.made] * seats',
        Promise.SEED,
        "one seed gives two deals",
        has_position=False,
    ),
    "no end": Fault(
        "rounds_left=self.rounds_left - 1",
        "rounds_left=self.rounds_left",
        Promise.ENDS,
        "goes on beyond most_decisions",
    ),
    "an option that apply does not take": Fault(
        PAY,
        PAY + "\n        if action == 2:\n            raise ValueError('too much')",
        Promise.OPTIONS,
        "failed in apply: ValueError: too much",
    ),
    "two options with one label": Fault(
        OPTIONS,
        'return {0: "pay", 1: "pay"}',
        Promise.OPTIONS,
        "failed in options: none, or two with one label",
    ),
    "a state that changes": Fault(
        PAY,
        PAY + "\n        object.__setattr__(self, 'chosen', chosen)",
        Promise.FROZEN,
        "`apply` changes the state",
    ),
    "options that change": Fault(
        OPTIONS,
        'self.__dict__["asked"] = asked = getattr(self, "asked", 0) + 1\n'
        '        return {coins: f"pay {coins} ({asked})" for coins in range(_MOST_COINS + 1)}',
        Promise.FROZEN,
        "`apply` changes the state",
    ),
    "another's card in the text": Fault(
        'f"Your card: {self.cards[seat]}"',
        'f"Your card: {self.cards[seat]} of {self.cards}"',
        Promise.VIEW,
        "differs in a world that it cannot tell apart: text: ",
    ),
    "hidden coins in the facts": Fault(
        '"have_paid": len(self.chosen)',
        '"have_paid": self.chosen',
        Promise.VIEW,
        "differs in a world that it cannot tell apart: facts: ",
    ),
    "the highest card in the features": Fault(
        "[float(self.cards[seat]),",
        "[float(max(self.cards)),",
        Promise.VIEW,
        "differs in a world that it cannot tell apart: features: ",
    ),
    "hidden coins in an event": Fault(
        TOLD,
        'event = Event(f"@{seat} pays {action}")',
        Promise.EVENTS,
        "an event tells seat",
    ),
    "options that tell another's card": Fault(
        OPTIONS,
        'return {coins: f"pay {coins}" for coins in range(1 + self.cards[0] % 3)}',
        Promise.KNOWN_OPTIONS,
        "depend on what it may not know",
    ),
    "an order of play that tells a card": Fault(
        "return len(self.chosen) if self.rounds_left else None",
        "order = len(self.chosen)\n"
        "        if self.cards[0] > self.cards[1]:\n"
        "            order = len(self.cards) - 1 - order\n"
        "        return order if self.rounds_left else None",
        Promise.VIEW,
        "acts, but seat",
    ),
    "a redraw that changes the seat's own card": Fault(
        "cards[seat:seat] = [self.cards[seat]]",
        "cards[seat:seat] = []",
        Promise.VIEW,
        "differs in a world that it cannot tell apart: text: ",
    ),
    "ranks with a gap": Fault(
        "    def explained(",
        "    def ranks(self) -> Sequence[int]:\n        return [2] * len(self.cards)\n\n"
        "    def explained(",
        Promise.RANKS,
        "failed in ranks: they are (2, 2)",
    ),
    "points of some seats": Fault(
        "return [(pot if seat == winner else 0) - total for seat, total in enumerate(totals)]",
        "return [pot]",
        Promise.RANKS,
        "failed in points: there are 1 for 2 seats",
    ),
    "features of another length": Fault(
        "float(self.rounds_left), *totals]",
        "*totals] if self.chosen else []",
        Promise.MESSAGES,
        "features have once 0",
    ),
    "facts that are no data": Fault(
        CARD,
        '"card": {self.cards[seat]},',
        Promise.MESSAGES,
        "failed in view: ValueError: it is no",
    ),
    "a deal that comes back otherwise": Fault(
        'return MyState(config["deck"], deal, config["rounds"])',
        'return MyState(config["deck"], {0: deal}[len(deal) - 2], config["rounds"])',
        Promise.OPTIONS,
        "failed in initial_state: KeyError",
        has_position=False,
    ),
    "time in the view": Fault(
        CARD,
        'CARD_TIME: __import__("time").perf_counter_ns(),'.replace("CARD_TIME", '"card"'),
        Promise.SEED,
        "played a second time",
    ),
}


def checked(name: str, site: Path, plant: Fault | None = None) -> CheckedGame:
    """Install the template's game under this name, with a fault, and return it."""
    project = site / name
    make(name, project)
    module = project / f"{name}.py"
    rules = module.read_text()
    if plant is not None:
        assert rules.count(plant.old) == 1
        module.write_text(rules.replace(plant.old, plant.new))
    install(project, site)
    return CheckedGame(name, {}, games=GAMES)


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("what", FAULTS)
def test_a_planted_fault_is_named(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first failed step says what is wrong in a sentence, and shows the position."""
    monkeypatch.syspath_prepend(tmp_path)
    plant = FAULTS[what]
    name = f"planted{[*FAULTS].index(what)}"

    results = check(checked(name, tmp_path, plant), lambda _: None)

    faults = [one.fault for one in results if one.fault is not None]
    assert faults
    assert plant.promise is faults[0].promise
    assert plant.sentence in str(faults[0])
    assert "\n" not in str(faults[0])
    assert (faults[0].position is not None) == plant.has_position
    if faults[0].position is not None:
        assert [*faults[0].position.lines()]


@pytest.mark.costly
def test_the_game_without_a_fault_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new game passes every step."""
    monkeypatch.syspath_prepend(tmp_path)

    results = check(checked("sound", tmp_path), lambda _: None)

    assert {one.verdict for one in results} == {StepStatus.PASSED}
