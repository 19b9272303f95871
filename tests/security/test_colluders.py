"""Proof that two bots which work together know no more of a deal than one that guesses.

They are real bots of two authors (`tests/bots/colluder`). Each leaves what it sees of a deal
wherever it can write, and remembers it in its own process; before its first move it guesses what
the others were dealt. The record's truth says how much of that is right, and shuffling the cards
that the bot had not seen says how much would be right by chance.
"""

import contextlib
import json
import math
import os
import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import ladder.storage.tables.outputs
from ladder.model.matches import MatchState
from ladder.model.settings import Deals
from ladder.results import queries
from ladder.results.report.facts import facts
from ladder.runner.line_progress import LineProgress
from ladder.runner.run import run
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.scheduling.planner import RunLimits
from ladder.storage.ladder import Ladder, create
from ladder.submission.submit import submit
from referee.core.clock import ClockConfig
from referee.games.courtisans.cards import CARDS, Role
from referee.sandbox.contain import private_files, system_image
from referee.sandbox.levels import offered
from referee.sandbox.program import Level
from tests.support.lacking import skip

ROOT = Path(__file__).parents[2]
COLLUDER = ROOT / "tests" / "bots" / "colluder"
RANDOM = ROOT / "sample_bots" / "python" / "courtisans" / "random"
COLLUDERS = ("ann", "bob")
HONEST = ("cat", "dan")
WHISPERS = ("pages", "names")
"""What colluders at one table can talk by if they share files."""
NUMBERS = ("moments", "pipes")
"""What they can tell each other a number by, whatever they share."""
SLOTS_MS = 600
"""Within so long a colluder answers at the moment that says its number."""
MOMENTS = 12
"""Matches of steps that are so long: one takes 15 s."""
SEATS = 4
MATCHES = 300
CONTROLS = 32
"""Matches where nothing contains the colluders: few are enough to see that they know."""
SHUFFLES = 99
MOST_DEVIATIONS = 3.1
"""Guesses are that many standard deviations better than chance once in a thousand times."""
MOST_HANDS = 5
"""The hands that chance guesses to the last card less than once in 100,000 times."""

Cards = Sequence[tuple[int, int]]
Hands = Mapping[int, Cards]
Missions = Mapping[int, Sequence[int]]
Collude = Callable[..., "Measured"]


@dataclass(frozen=True)
class Guess:
    """What a colluder said before its first move, and what it could have known."""

    hands: Hands
    """Of the seats that move later; of the others the table shows them."""
    missions: Missions
    """Of all other seats."""
    true_hands: Hands
    true_missions: Missions
    unseen: Cards
    """The cards that it had not seen."""
    spies_down: int
    """How many of these lie face down."""
    own_missions: Sequence[int]
    again: bool
    """Whether an earlier match had the same deal."""
    heard: int | None = None
    """The white mission that it heard of, if its partner had moved before."""
    told: int = 0
    """The white mission that its partner has."""

    def right(self) -> int:
        """Return how many cards and missions it knew."""
        return self._right(self.true_hands, self.true_missions)

    def expected(self) -> float:
        """Return how many would be right on average if all that it had not seen were shuffled."""
        chance = random.Random(str(self))
        return sum(self._shuffled(chance) for _ in range(SHUFFLES)) / SHUFFLES

    def asked(self) -> int:
        """Return how many cards and missions it had to know."""
        return 3 * len(self.hands) + 2 * len(self.missions)

    def _shuffled(self, chance: random.Random) -> int:
        spies = [card for card in self.unseen if card[1] == Role.SPY]
        left = list(self.unseen)
        for card in chance.sample(spies, self.spies_down):
            left.remove(card)
        drawn = iter(chance.sample(left, 3 * len(self.hands)))
        hands = {seat: [next(drawn) for _ in range(3)] for seat in self.hands}
        white, blue = (
            chance.sample([m for m in sort if m not in self.own_missions], len(self.missions))
            for sort in (range(1, 11), range(11, 21))
        )
        missions = zip(white, blue, strict=True)
        return self._right(hands, dict(zip(self.missions, missions, strict=True)))

    def _right(self, hands: Hands, missions: Missions) -> int:
        cards = sum(
            (Counter(hand) & Counter(hands[seat])).total() for seat, hand in self.hands.items()
        )
        return cards + sum(
            ours == theirs
            for seat, guessed in self.missions.items()
            for ours, theirs in zip(guessed, missions[seat], strict=True)
        )

    def whole_hands(self) -> int:
        """Return how many hands it knew to the last card."""
        return sum(
            Counter(hand) == Counter(self.true_hands[seat]) for seat, hand in self.hands.items()
        )


class Measured:
    """How good all guesses of a ladder were."""

    def __init__(self, matches: int, guesses: Sequence[Guess], tells: Sequence[str]) -> None:
        """Count what is right, and what would be by chance; `tells`: whose times tell something."""
        self.tells = tells
        self.matches, self.guesses = matches, len(guesses)
        self.asked = sum(guess.asked() for guess in guesses)
        self.right = sum(guess.right() for guess in guesses)
        self.hands = sum(len(guess.hands) for guess in guesses)
        self.whole_hands = sum(guess.whole_hands() for guess in guesses)
        again = [guess for guess in guesses if guess.again]
        self.hands_again = sum(len(guess.hands) for guess in again)
        self.whole_hands_again = sum(guess.whole_hands() for guess in again)
        told = [guess for guess in guesses if guess.told]
        self.told, self.heard = len(told), sum(guess.heard == guess.told for guess in told)
        self.by_chance, better = 0.0, defaultdict[str, float](float)
        for guess in guesses:
            expected = guess.expected()
            self.by_chance += expected
            better[str(guess.true_hands)] += guess.right() - expected
        spread = math.sqrt(sum(value**2 for value in better.values()))
        self.deviations = sum(better.values()) / spread if spread else 0.0
        """By how many standard deviations the guesses are better than chance; those about one deal
        count as one, as they are right or wrong together."""

    def tell(self, what: str) -> None:
        """Print what was measured."""
        print(  # noqa: T201 -- a measurement
            f"\n{what}: {self.matches} matches, {self.guesses} guesses, {self.right} of "
            f"{self.asked} right, {self.by_chance:.0f} by chance, {self.deviations:+.1f} standard "
            f"deviations; {self.heard} of {self.told} missions heard; "
            f"{self.whole_hands} of {self.hands} hands wholly, "
            f"{self.whole_hands_again} of the {self.hands_again} that had been dealt before"
        )


@pytest.fixture
def collude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Collude]:
    """Play a ladder of two colluders and two honest bots; return how good the guesses were."""
    monkeypatch.setattr(ladder.storage.tables.outputs, "OUTPUTS_KEPT", 10 * MATCHES)

    marks = list[str]()

    def measured(
        level: Level, deals: Deals, number: int, whispers: str = "", step_ms: int = 0
    ) -> Measured:
        folder = tmp_path / "ladder"
        home = create(
            folder,
            game="courtisans",
            seats=SEATS,
            config={},
            clock=ClockConfig(),
            secret=random.randbytes(32).hex(),
            sandbox=level,
            deals=deals,
            request_step_ms=step_ms,
        )
        marks.append(mark := random.randbytes(8).hex())
        with Ladder.open(home) as opened:
            for name in (*COLLUDERS, *HONEST):
                bot = tmp_path / "bots" / name
                shutil.copytree(COLLUDER if name in COLLUDERS else RANDOM, bot)
                toml = bot / "bot.toml"
                lines = toml.read_text().splitlines()
                toml.write_text("\n".join([f'name = "{name}"', *lines[1:]]) + "\n")
                (bot / "mark.txt").write_text(mark)
                if whispers:
                    (bot / "whispers.txt").write_text(whispers)
                submit(opened, bot, lambda _: None, author=name)
            run(
                opened,
                LadderPlanner(opened),
                1,
                LineProgress(),
                limits=RunLimits(matches=number),
            )
            found = facts(opened)
            tells = [found.names[tell.version] for tell in found.tells if tell.is_one]
            return Measured(number, list(guesses(opened)), tells)

    yield measured
    mounted = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
    for folder in (*mounted, "/tmp", "/var/tmp", "/run", str(Path.home())):  # noqa: S108 -- they wrote there
        for mark in marks:
            with contextlib.suppress(OSError):
                Path(folder, f"seen-{mark}").unlink()


def guesses(ladder: Ladder) -> Iterator[Guess]:
    """Yield what the colluders of a ladder guessed, beside the truth."""
    dealt = set[str]()
    for line in reversed(queries.latest(ladder, 10 * MATCHES)):
        if line.state is not MatchState.DONE:
            continue
        record = queries.record(ladder, line)
        deal = str(record.deal)
        again = deal in dealt
        dealt.add(deal)
        partners = [seat for seat, bot in enumerate(record.seats) if bot.name in COLLUDERS]
        for seat, sitting in enumerate(record.seats):
            printed = queries.printed(ladder, line, seat) or ""
            if sitting.name in COLLUDERS:
                (told,) = (text for text in printed.splitlines() if text.startswith("{"))
                yield guess_of(
                    json.loads(told), seat, record.deal.courtisans, partners, again=again
                )


def guess_of(
    told: Mapping[str, Any], seat: int, deal: Any, partners: Sequence[int], *, again: bool
) -> Guess:
    """Return one guess; of hands those of the seats that have not played before it."""
    hands = [[(card.family, card.role) for card in hand.cards] for hand in deal.hands]
    missions = [(dealt.white, dealt.blue) for dealt in deal.missions]
    order = [(deal.starting_seat + turn) % SEATS for turn in range(SEATS)]
    before, later = order[: order.index(seat)], order[order.index(seat) + 1 :]
    played = [card for other in before for card in hands[other]]
    down = [card for card in played if card[1] == Role.SPY]
    unseen = Counter((int(card.family or 0), int(card.role)) for card in CARDS)
    unseen.subtract([*hands[seat], *(card for card in played if card not in down)])
    return Guess(
        hands={other: [(f, r) for f, r in told["hands"][str(other)]] for other in later},
        missions={int(other): guessed for other, guessed in told["missions"].items()},
        true_hands=dict(enumerate(hands)),
        true_missions=dict(enumerate(missions)),
        unseen=list(unseen.elements()),
        spies_down=len(down),
        own_missions=missions[seat],
        again=again,
        heard=next((white for white, _ in told["heard"]), None),
        told=next((missions[one][0] for one in before if one in partners), 0),
    )


def forget_pages() -> None:
    """Have the system's large files out of memory, as on a machine that has not used them yet."""
    for place in ("usr/bin/*", "usr/lib/*/*"):
        for file in Path("/").glob(place):
            if file.is_file():
                with file.open("rb") as opened:
                    os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


# The tests


@pytest.mark.proof
@pytest.mark.parametrize("deals", Deals)
@pytest.mark.parametrize("level", sorted(set(offered()) - {Level.TRUSTED}))
def test_colluders_know_no_more_than_chance(
    collude: Collude, level: Level, deals: Deals, proof_cases: Callable[[int], int]
) -> None:
    """Before their first move, with a deal for each match and where rotations share one."""
    measured = collude(level, deals, proof_cases(MATCHES))
    measured.tell(f"{level}, {deals} deals")

    assert measured.guesses == 2 * measured.matches
    assert measured.deviations < MOST_DEVIATIONS
    assert measured.whole_hands <= MOST_HANDS


@pytest.mark.proof
def test_colluders_know_deals_again_where_nothing_contains_them(collude: Collude) -> None:
    """So the attack is a real one: what they leave in files tells the deal when it is repeated."""
    measured = collude(Level.TRUSTED, Deals.DUPLICATE, CONTROLS)
    measured.tell("trusted, duplicate deals")

    assert measured.right > 3 * measured.by_chance
    assert measured.whole_hands_again > measured.hands_again / 2


@pytest.mark.proof
@pytest.mark.parametrize("by", WHISPERS)
@pytest.mark.parametrize("level", sorted(set(offered()) - {Level.TRUSTED}))
def test_what_is_open_at_the_table_is_measured(
    collude: Collude,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    level: Level,
    by: str,
    proof_cases: Callable[[int], int],
) -> None:
    """Bots that share files talk by what is in memory: docs/security.md says what that tells."""
    monkeypatch.setenv(system_image.FOLDER, str(tmp_path))
    forget_pages()
    measured = collude(level, Deals.INDEPENDENT, proof_cases(MATCHES), by)
    measured.tell(f"{level}, independent deals, shared files, by the time that {by} take")

    assert measured.guesses == 2 * measured.matches


@pytest.mark.proof
@pytest.mark.parametrize("by", NUMBERS)
def test_what_is_always_open_at_the_table_is_measured(
    collude: Collude, by: str, proof_cases: Callable[[int], int]
) -> None:
    """The moment of an answer and the numbers of pipes; the report names who waits for a moment."""
    measured = collude(offered()[0], Deals.INDEPENDENT, proof_cases(CONTROLS), by)
    measured.tell(f"{offered()[0]}, independent deals, by {by}")

    assert {*measured.tells} <= {*COLLUDERS}
    if measured.matches == CONTROLS:  # a sample of them shows little
        assert measured.heard > measured.told / 4
        assert by == "pipes" or {*measured.tells} == {*COLLUDERS}


@pytest.mark.proof
@pytest.mark.timeout(1200)
def test_a_step_hides_the_moment_of_an_answer(
    collude: Collude, proof_cases: Callable[[int], int]
) -> None:
    """Of answers within one step; a bot can still take several."""
    level, matches = offered()[0], proof_cases(MOMENTS)
    measured = collude(level, Deals.INDEPENDENT, matches, "moments", SLOTS_MS)
    measured.tell(f"{level}, independent deals, by moments, with steps of {SLOTS_MS} ms")

    assert measured.heard <= max(1, measured.told / 2)


@pytest.mark.proof
@pytest.mark.parametrize("level", sorted(set(offered()) - {Level.TRUSTED}))
def test_device_nodes_tell_nothing_at_the_table(
    collude: Collude, level: Level, proof_cases: Callable[[int], int]
) -> None:
    """Though both have the machine's, and set their times."""
    measured = collude(level, Deals.INDEPENDENT, proof_cases(MATCHES), "nodes")
    measured.tell(f"{level}, independent deals, by the times of device nodes")

    assert measured.deviations < MOST_DEVIATIONS
    assert measured.heard < measured.told / 4 + MOST_HANDS


@pytest.mark.proof
def test_device_nodes_tell_all_where_nothing_contains_colluders(collude: Collude) -> None:
    """So that attack is a real one, too."""
    measured = collude(Level.TRUSTED, Deals.INDEPENDENT, CONTROLS, "nodes")
    measured.tell("trusted, independent deals, by the times of device nodes")

    assert measured.heard > measured.told / 2


@pytest.mark.proof
@pytest.mark.parametrize("by", WHISPERS)
@pytest.mark.parametrize("level", sorted(set(offered()) - {Level.TRUSTED}))
def test_own_files_tell_nothing_at_the_table(
    collude: Collude, level: Level, by: str, proof_cases: Callable[[int], int]
) -> None:
    """Bots with files of their own know no more than chance, though they try to talk."""
    if reason := private_files.lacking():
        skip(reason, "ladder image, as root")
    forget_pages()
    measured = collude(level, Deals.INDEPENDENT, proof_cases(MATCHES), by)
    measured.tell(f"{level}, independent deals, own files, by the time that {by} take")

    assert measured.guesses == 2 * measured.matches
    assert measured.deviations < MOST_DEVIATIONS
    assert measured.whole_hands <= MOST_HANDS
