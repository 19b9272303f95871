"""Double elimination: every bot but the winner is eliminated twice, and meets others anew."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.scheduling.tournament.formats.base import Field, Meeting, MeetingResult, StageKind
from ladder.scheduling.tournament.formats.bracket import FINAL, THIRD, advancing, full_final
from ladder.scheduling.tournament.formats.deciding import Decider
from ladder.scheduling.tournament.formats.double_elimination import DoubleElimination
from ladder.scheduling.tournament.formats.knockout import Knockout
from tests.ladder.scheduling.played import Play, by_seed, played, rounds_of, sampled, somehow
from tests.support.sampling import examples

DOUBLE = DoubleElimination(Decider(0, "drawn"))
WINNERS, LOSERS = StageKind.WINNERS, StageKind.LOSERS
MOST_PAIRED = 10
"""The most bots of which all pairings are tried."""

fields = given(n=st.integers(2, 40), seats=st.integers(2, 5), salt=st.integers(0, 99))
some = examples(30)


def eliminated(field: Field) -> list[list[int]]:
    """Return who is eliminated in each round."""
    found: list[list[int]] = [[] for _ in range(field.rounds)]
    for result in field.results:
        decision = DOUBLE.decision(result, field.seats)
        assert decision is not None
        found[result.meeting.round] += decision.out
    return found


def of_kind(meetings: Sequence[Meeting], kind: StageKind) -> list[Meeting]:
    """Return the meetings of a bracket."""
    return [meeting for meeting in meetings if meeting.kind is kind]


def check_eliminations(n: int, seats: int, play: Play) -> None:
    """Check who is eliminated when, who plays then, and how many meetings there are."""
    field = played(DOUBLE, range(n), seats, play)
    lost = Counter[int]()
    for meetings, out in zip(rounds_of(field), eliminated(field), strict=True):
        seated = [e for m in meetings for e in m.entrants]
        assert len(seated) == len(set(seated))
        for meeting in meetings:
            brackets = {WINNERS: {0}, LOSERS: {1}, StageKind.FINAL: {0, 1}}
            assert {lost[e] for e in meeting.entrants} <= brackets[meeting.kind]
            assert len(meeting.entrants) <= seats
        lost.update(out)
    winner = DOUBLE.table(field)[0].entrant

    assert {lost[e] for e in range(n) if e != winner} == {2}
    assert lost[winner] < 2
    if seats == 2:
        assert len(field.results) == 2 * n - 2 + lost[winner]


@fields
@some
def test_all_but_the_winner_are_eliminated_twice(n: int, seats: int, salt: int) -> None:
    """The winner is eliminated once at most; two seats take 2n - 2 meetings, or one more."""
    check_eliminations(n, seats, somehow(salt))


@pytest.mark.proof
def test_eliminations_of_all_fields(proof_cases: Callable[[int], int]) -> None:
    """The same holds for all fields of 2 to 40, and 20 tournaments of each."""
    for n, seats in sampled(range(2, 41), proof_cases(160)):
        for salt in range(20):
            check_eliminations(n, seats, by_seed if salt == 0 else somehow(salt))


@fields
@some
def test_the_winners_play_a_knockout(n: int, seats: int, salt: int) -> None:
    """They have the tables of a knockout until as many are left as go on from one."""
    field = played(DOUBLE, range(n), seats, somehow(salt, 10**9))
    knockout = Knockout(DOUBLE.decider)
    results: list[MeetingResult] = []
    for meetings in rounds_of(field):
        own = of_kind(meetings, WINNERS)
        if not own:
            continue
        due = knockout.next_round(Field(range(n), seats, results))
        tables = [m for m in due if m.stage != THIRD]
        assert [set(m.entrants) for m in own] == [set(m.entrants) for m in tables]
        of_table = {frozenset(r.meeting.entrants): r for r in field.results if r.meeting in own}
        for meeting in due:
            same = of_table.get(frozenset(meeting.entrants))
            places = dict(zip(same.meeting.entrants, same.ranks[0], strict=True)) if same else {}
            ranks = tuple(places.get(e, 1) for e in meeting.entrants)
            results.append(MeetingResult(meeting, (ranks,)))
    playing = [bool(of_kind(meetings, WINNERS)) for meetings in rounds_of(field)]
    last = max((i for i, plays in enumerate(playing) if plays), default=-1)

    assert playing[: last + 1] == [i == 0 or i % 2 == 1 for i in range(last + 1)]


@pytest.mark.costly
@fields
@some
def test_the_losers_are_as_many_as_the_winners(n: int, seats: int, salt: int) -> None:
    """Losers' rounds have few tables of even sizes, and leave enough for the final.

    At tables of two, sizes are powers of two after the first losers' round, which alone has byes.
    """
    field = played(DOUBLE, range(n), seats, somehow(salt))
    winners, losers, later = n, 0, False
    for number, meetings in enumerate(rounds_of(field)):
        tables = of_kind(meetings, LOSERS)
        byes = DOUBLE.resting(field.before(number), meetings)
        dropped = sum(len(m.entrants) - advancing(seats) for m in of_kind(meetings, WINNERS))
        winners -= dropped
        if tables:
            sizes = [len(m.entrants) for m in tables]
            resting = losers - sum(sizes)
            left = advancing(seats) * len(sizes) + resting
            fewest = advancing(seats) * -(-losers // seats)
            assert max(sizes) - min(sizes) <= 1
            assert left == max(winners, full_final(seats) - advancing(seats), fewest)
            if seats == 2:
                assert not (later and byes)
                assert left & (left - 1) == 0
            losers, later = left, True
        losers += dropped


def rematches_of(tables: Sequence[Sequence[int]], met: set[frozenset[int]]) -> int:
    """Return how many pairs at these tables have met."""
    return sum(frozenset(p) in met for table in tables for p in combinations(table, 2))


def fewest(bots: Sequence[int], byes: int, met: set[frozenset[int]]) -> int:
    """Return the fewest rematches of any pairing with these byes."""
    if len(bots) <= byes:
        return 0
    one, *others = bots
    found = [fewest(others, byes - 1, met)] if byes else []
    for other in others:
        rest = [e for e in others if e != other]
        if len(rest) >= byes:
            found.append((frozenset((one, other)) in met) + fewest(rest, byes, met))
    return min(found)


def check_rematches(n: int, play: Play) -> None:
    """Check the losers' bracket of a tournament of two seats for rematches."""
    field = played(DOUBLE, range(n), 2, play)
    met: set[frozenset[int]] = set()
    for number, meetings in enumerate(rounds_of(field)):
        tables = [m.entrants for m in of_kind(meetings, LOSERS)]
        if again := rematches_of(tables, met):
            bots = {e for table in tables for e in table}
            bots |= {*DOUBLE.resting(field.before(number), meetings)}
            assert any(all(frozenset((e, o)) in met for o in bots - {e}) for e in bots)
            if len(bots) <= MOST_PAIRED:
                assert again == fewest(sorted(bots), len(bots) - 2 * len(tables), met)
        met |= {frozenset(m.entrants) for m in meetings}


@pytest.mark.costly
@given(n=st.integers(3, 40), salt=st.integers(0, 99))
@some
def test_bots_meet_again_only_if_they_must(n: int, salt: int) -> None:
    """At tables of two no bots meet again unless one of them has met all the others there."""
    check_rematches(n, somehow(salt))
    check_rematches(n, by_seed)


@pytest.mark.proof
def test_rematches_of_all_fields(proof_cases: Callable[[int], int]) -> None:
    """The same holds for all fields of 3 to 40, and many tournaments of each."""
    for n in range(3, 41):
        for salt in range(proof_cases(60)):
            check_rematches(n, somehow(salt))


def test_few_meet_again_at_larger_tables() -> None:
    """While there is room, no two meet again at larger tables either."""
    for seats, n in ((3, 27), (4, 32)):
        met: set[frozenset[int]] = set()
        for meetings in rounds_of(played(DOUBLE, range(n), seats, by_seed))[:3]:
            assert rematches_of([m.entrants for m in of_kind(meetings, LOSERS)], met) == 0
            met |= {frozenset(p) for m in meetings for p in combinations(m.entrants, 2)}


def test_who_dropped_last_has_the_first_byes() -> None:
    """A bye in the losers' bracket goes to another bot only if bots would meet again for it."""
    resting = {}
    for n in (5, 9, 11):
        field = played(DOUBLE, range(n), 2, by_seed)
        number, meetings = next(
            (i, m) for i, m in enumerate(rounds_of(field)) if of_kind(m, LOSERS)
        )
        resting[n] = DOUBLE.resting(field.before(number), meetings)

    assert resting == {5: [3], 9: [4, 5, 7], 11: [4]}


def stages(field: Field) -> list[tuple[str, set[int]]]:
    """Return the finals with those who play them."""
    finals = [r.meeting for r in field.results if r.meeting.kind is StageKind.FINAL]
    return [(meeting.stage, set(meeting.entrants)) for meeting in finals]


def test_the_winner_of_the_losers_bracket_must_win_twice() -> None:
    """The final is played again only if the bot that had been eliminated wins the first."""

    def upset(*numbers: int) -> Play:
        finals = iter(numbers)

        def play(meeting: Meeting) -> tuple[int, ...]:
            wanted = next(finals, 0) if meeting.kind is StageKind.FINAL else 0
            return tuple(by_seed(meeting)[:: -1 if wanted else 1])

        return play

    once, again, lost = (played(DOUBLE, range(8), 2, upset(*won)) for won in ((0,), (1, 1), (1, 0)))

    assert stages(once) == [(FINAL, {0, 1})]
    assert stages(again) == stages(lost) == [(FINAL, {0, 1}), ("second final", {0, 1})]
    assert [DOUBLE.table(f)[0].entrant for f in (once, again, lost)] == [0, 1, 0]


def test_there_may_be_a_third_final() -> None:
    """Two that come to the final of four without an elimination may need three."""
    order = {FINAL: (0, 1, 2, 3), "second final": (1, 0), "third final": (0, 1)}

    def play(meeting: Meeting) -> tuple[int, ...]:
        wanted = order.get(meeting.stage, tuple(sorted(meeting.entrants)))
        return tuple(1 + wanted.index(e) for e in meeting.entrants)

    field = played(DOUBLE, range(16), 4, play)

    assert stages(field) == [
        (FINAL, {0, 1, 2, 3}),
        ("second final", {0, 1}),
        ("third final", {0, 1}),
    ]
    assert [line.place for line in DOUBLE.table(field)][:4] == [1, 2, 3, 4]


def test_a_level_table_of_any_bracket_plays_on() -> None:
    """Sudden death decides who drops, who is out and who wins the final."""
    decider = DoubleElimination(Decider(1, "drawn"))
    field = Field(range(3), 2)
    for _ in range(9):
        if not (meetings := decider.next_round(field)):
            break
        level = [MeetingResult(meeting, ((1, 1),)) for meeting in meetings]
        assert decider.play_on(replace(field, results=[*field.results, *level])) == meetings
        ranks = [tuple(by_seed(meeting)) for meeting in meetings]
        parted = [
            replace(result, sudden_death=((own,),))
            for result, own in zip(level, ranks, strict=True)
        ]
        field = replace(field, results=[*field.results, *parted])

    assert [line.entrant for line in decider.table(field)] == [0, 1, 2]
    assert not decider.next_round(field)


@fields
@some
def test_places_follow_the_second_elimination(n: int, seats: int, salt: int) -> None:
    """A bot that was out later is ahead of one that was out before."""
    field = played(DOUBLE, range(n), seats, somehow(salt))
    lost, out_in = Counter[int](), dict.fromkeys(range(n), field.rounds)
    for number, out in enumerate(eliminated(field)):
        lost.update(out)
        out_in |= {e: number for e in out if lost[e] == 2}
    lines = DOUBLE.table(field)
    rounds = [out_in[line.entrant] for line in lines]

    assert rounds == sorted(rounds, reverse=True)
    assert [line.place for line in lines].count(1) == 1
    for line, reached in zip(lines, rounds, strict=True):
        assert line.place > sum(other > reached for other in rounds)
        assert line.place <= sum(other >= reached for other in rounds)
