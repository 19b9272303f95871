"""Files that answer as the version before did are no new try."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ladder.model.bots import SubmissionOutcome
from ladder.model.matches import PlannedMatch
from ladder.results import queries
from ladder.results.strengths import rating_of_record
from ladder.runner.match_spec import match_spec
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from ladder.storage.tables.records import pack
from ladder.submission.submit import submit
from referee.core.faults import Fault, FaultKind
from referee.games.randomness import Stream
from referee.hosting.host import Host
from referee.hosting.match_runner import MatchSpec
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level
from tests.support.ladders import Enter, MakeBot

NEW, ALIKE = SubmissionOutcome.NEW, SubmissionOutcome.ALIKE
PLAIN = Path(__file__).parents[3] / "sample_bots" / "plain" / "python" / "bot.py"
CHOICE = 'random.randrange(len(position["options"]))'
FEWEST = 5
"""The matches without which nothing is compared."""
Play = Callable[..., None]


def match_of(match_id: str, *, fault: Fault | None = None) -> Any:
    """Play a match of four bots at random; the first forfeits its second decision by a fault."""
    match = Match(MatchSetup(match_id, "courtisans", 4, match_id))
    stream, asked = Stream("play", "it"), 0
    while (due := match.due) is not None:
        asked += due.seat == 0
        if fault and due.seat == 0 and asked == 2:
            match.forfeit(fault, 0)
        else:
            match.decide(match.state.random_action(stream), 0)
    return record_of(match, [SeatInfo(name, "1") for name in "abcd"], sandbox="trusted")


@pytest.fixture
def play(ladder: Ladder) -> Play:
    """Store a round of finished matches of the bots; perhaps others have open deals."""

    def store(count: int = FEWEST, fault: Fault | None = None, *, open_deals: bool = False) -> None:
        with ladder.database.write() as tx:
            number, four = matches.last_round(tx) + 1, tuple(bots.active(tx))
            named = [f"{number:02x}{index:02x}" * 8 for index in range(count)]
            planned = [PlannedMatch(one, number, i, four, deal=one) for i, one in enumerate(named)]
            if open_deals:
                planned += [
                    PlannedMatch(one[::-1], number, i, four, deal=one)
                    for i, one in enumerate(named, start=count)
                ]
            matches.add(tx, planned)
            for match in planned[:count]:
                spec = MatchSpec(match.match_id, "courtisans", (None,) * 4, "seed")
                matches.finish(tx, pack(match_of(match.match_id, fault=fault), {}, spec))

    return store


@pytest.mark.costly
def test_twenty_versions_that_differ_in_a_comment_are_one_try(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, play: Play
) -> None:
    """All matches count for the one version, which keeps its files."""
    play()
    for number in range(19):
        assert enter(ladder, make_bot("ann", f"# alike {number}")).outcome is ALIKE
    play()

    (ann,) = queries.versions(ladder, "ann")
    assert ann.active
    strength = rating_of_record(ladder).strengths[ann.id]
    assert (strength.attempt, strength.tries, strength.blocks) == (1, 1, 2 * FEWEST)
    assert (ladder.home.bundle(ann.digest) / "bot.py").read_text() == "# ann\n"


def test_the_evidence_is_told(ladder: Ladder, make_bot: MakeBot, play: Play) -> None:
    """Matches and decisions are named, and how to enter the files all the same."""
    play()
    said = list[str]()

    submission = submit(ladder, make_bot("ann", "# alike"), said.append)

    assert said[1:] == [
        "Asking it what ann version 1 was asked in its last matches.",
        "It answers as version 1 did: all 35 decisions in 5 matches.",
    ]
    assert str(submission) == (
        "ann version 1 plays on and keeps its record: these files answer as it did, and are no new "
        "try. To enter them as a new version, change the release in bot.toml."
    )


def test_another_answer_makes_a_new_version(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, play: Play
) -> None:
    """One decision that differs is enough."""
    play()

    assert enter(ladder, make_bot("ann", "# almost alike")).outcome is NEW


def test_another_release_makes_a_new_version(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, play: Play
) -> None:
    """An author may say that files differ where no match has led."""
    play()
    release = make_bot("ann", "# alike", 'release = "2"\n')

    assert enter(ladder, release).outcome is NEW
    play()
    assert enter(ladder, make_bot("ann", "# alike 2", 'release = "2"\n')).outcome is ALIKE


def test_a_mended_fault_makes_a_new_version(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, play: Play
) -> None:
    """Where the version before forfeited, every answer is another."""
    play(fault=Fault(FaultKind.DISCONNECTED, "it crashed"))

    assert enter(ladder, make_bot("ann", "# alike")).outcome is NEW


def test_few_matches_that_count_say_too_little(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, play: Play
) -> None:
    """Matches whose deals are in play are not asked about, nor are fewer than five."""
    play(FEWEST - 1)
    play(open_deals=True)
    assert enter(ladder, make_bot("ann", "# alike")).outcome is NEW


def test_a_retired_version_plays_again_in_place_of_its_like(
    ladder: Ladder, make_bot: MakeBot, enter: Enter, play: Play
) -> None:
    """It returns with its record."""
    play()
    ladder.retire("ann")

    assert enter(ladder, make_bot("ann", "# alike")).outcome is ALIKE
    assert [version.active for version in queries.versions(ladder, "ann")] == [True]


def test_a_version_that_another_has_replaced_meanwhile_does_not_play_on(
    ladder: Ladder, make_bot: MakeBot, enter: Enter
) -> None:
    """Files that are alike to an old version are new beside the present one."""
    (first,) = queries.versions(ladder, "ann")
    enter(ladder, make_bot("ann", "better"))

    with ladder.database.write() as tx:
        assert bots.go_on(tx, first) is None


def plain_bot(make_bot: MakeBot, choice: str, comment: str) -> Path:
    """Make a bot that really runs, by how it chooses among the options."""
    folder = make_bot("eva", manifest='transport = "stdio-json"\n')
    program = PLAIN.read_text().replace(CHOICE, f"{choice}  # {comment}")
    (folder / "bot.py").write_text(program)
    return folder


@pytest.mark.costly
@pytest.mark.parametrize(
    ("choice", "outcome"),
    [('len(position["options"]) - 1', ALIKE), (CHOICE, NEW)],
    ids=["the last option", "a random option"],
)
def test_a_real_bot_is_asked_again(
    home: Home, make_bot: MakeBot, choice: str, outcome: SubmissionOutcome
) -> None:
    """One that answers alike is recognised; one that draws lots of its own is new each time."""
    with Ladder.open(home) as ladder, Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        version = submit(ladder, plain_bot(make_bot, choice, "one"), lambda _: None).version
        for index in range(FEWEST):
            seats = (None, version, None, None)
            planned = PlannedMatch(f"{index}a" * 16, 1, index, seats, deal=f"deal {index}")
            spec = match_spec(home, ladder.settings, planned, patient=False)
            with ladder.database.write() as tx:
                matches.add(tx, [planned])
                matches.finish(tx, pack(host.play(spec), {}, spec))

        assert submit(ladder, plain_bot(make_bot, choice, "two"), lambda _: None).outcome is outcome
