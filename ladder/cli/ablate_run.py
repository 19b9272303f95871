"""Plays an ablation and prints its result, for the command `ladder ablate`.

It is a separate module so that other commands need not import numpy.
"""

import math
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from rich.text import Text

from ladder.cli.console import command_line, console, say, say_plainly
from ladder.cli.contest import print_topics, write
from ladder.cli.duel_run import summary_of
from ladder.cli.play import play
from ladder.cli.seeds import chosen_secret
from ladder.scheduling.duel.ablation import Ablation, of_pairs
from ladder.scheduling.duel.planner import DuelPlan, DuelPlanner
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.submission import duels
from ladder.submission.ablations import copied
from ladder.submission.contests import Wanted, check_same, make
from ladder.submission.entrants import Entrant, Entrants
from referee.games import game_named

_COPY = "copy"
_CHANGE, _NULL = "change", "null"
"""The folders of the duels."""
_TURNS = ((_CHANGE, 1 / 4), (_NULL, 1 / 2), (_CHANGE, 3 / 4), (_NULL, 1), (_CHANGE, 1))
"""Which duel is played up to which part of its pairs: in turns, so that whatever changes in the
meantime, such as the speed of a service that A asks, touches both alike."""
_FEWEST = 2
"""The pairs of the shortest duel."""


def hold(
    named: Entrants,
    pairs: int,
    wanted: Wanted,
    folder: Path | None,
    json: Path | None,
    workers: int | None,
    *,
    reproducible: bool,
) -> None:
    """Create, play or continue an ablation of A and B; print the result."""
    a, b = named.each
    place = folder or Path(f"ablation-{a.bot}-{b.bot}")
    with ExitStack() as stack:
        home = _home(place / _NULL, wanted, named, None, reproducible=reproducible)
        first = stack.enter_context(Ladder.open(home))
        secret = first.settings.secret
        home = _home(place / _CHANGE, wanted, named, secret, reproducible=reproducible)
        second = stack.enter_context(Ladder.open(home))
        check_same(first, wanted)
        check_same(second, wanted)
        null = _begun(first, pairs, [copied(a, place / _COPY), a], named)
        change = _begun(second, pairs, [b, a], named)
        say(f"{game_named(first.settings.game).title}, {first.settings.seats} seats, in {place}")
        duel_of = {_CHANGE: (second, change), _NULL: (first, null)}
        for name, part in _TURNS:
            _play(*duel_of[name], max(_FEWEST, math.ceil(part * pairs)), workers)
        found = Ablation(summary_of(second, change), summary_of(first, null))
        console.print()
        console.print(Text(found.answer(), style="bold"), soft_wrap=True)
        print_topics(found.numbers())
        if json is not None:
            write(json, found.to_json())
        say("\nTo see more of each duel:")
        for ladder in (second, first):
            say(f"  {command_line('report', ladder.home)}")


def _home(
    folder: Path, wanted: Wanted, named: Entrants, secret: str | None, *, reproducible: bool
) -> Home:
    """Return the ladder of a duel; create it if it is missing: one secret makes the same deals."""
    home = Home(folder)
    if not home.holds_ladder:
        made = secret or chosen_secret(wanted.seed, reproducible=reproducible)
        make(folder, wanted, named, made)
    return home


def _begun(ladder: Ladder, pairs: int, each: list[Entrant], named: Entrants) -> DuelPlan:
    to_go_on = "repeat the command with the files with which it began"
    return duels.begun(ladder, of_pairs(pairs), replace(named, each=each), say_plainly, to_go_on)


def _play(ladder: Ladder, plan: DuelPlan, pairs: int, workers: int | None) -> None:
    """Play a duel up to this number of pairs."""
    part = replace(plan, test=replace(plan.test, first=pairs, cap=pairs))
    if not summary_of(ladder, part).progress.over:
        planner = DuelPlanner(part, ladder.settings.seats)
        play(ladder, planner, workers, lambda _: "repeat the command")
