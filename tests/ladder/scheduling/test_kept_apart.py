"""Bots of one author, and forbidden pairs, are kept apart in all formats."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.model.tournaments import KeptApart, Kind
from ladder.scheduling.tournament.formats.apart import (
    Apart,
    Weights,
    of_one_name,
    pairs_at,
    weighed,
)
from ladder.scheduling.tournament.formats.base import Field, Format, MeetingResult
from ladder.scheduling.tournament.formats.bracket import THIRD, Slots, drawn, slots_apart
from ladder.scheduling.tournament.formats.double_elimination import DoubleElimination
from ladder.scheduling.tournament.formats.gauntlet import Gauntlet
from ladder.scheduling.tournament.formats.groups import Groups
from ladder.scheduling.tournament.formats.knockout import Knockout
from ladder.scheduling.tournament.formats.swiss import Swiss
from ladder.scheduling.tournament.planner import TournamentPlan
from tests.ladder.scheduling.played import somehow
from tests.support.sampling import examples

AUTHORS = st.lists(st.sampled_from("abcde"), min_size=5, max_size=8)


def rounds(
    form: Format, n: int, seats: int, apart: Apart, salt: int
) -> Iterator[tuple[Field, list[tuple[int, ...]]]]:
    """Play a tournament, and yield the tables of each round with the past before it."""
    results: list[MeetingResult] = []
    while True:
        field = Field(range(n), seats, results, apart=apart)
        if not (meetings := form.next_round(field)):
            return
        yield field, [m.entrants for m in meetings if m.stage != THIRD]
        play = somehow(salt)
        results = [*results, *(MeetingResult(m, (play(m),)) for m in meetings)]


def of_authors(authors: Sequence[str]) -> Apart:
    """Return that the bots of these authors, 0 and so on, are kept apart."""
    return Apart(of_one_name(dict(enumerate(authors))))


def least(there: tuple[int, ...], sizes: Sequence[int], weights: Weights) -> int:
    """Return the least weight over all tables of these sizes, by trying all."""
    if not sizes:
        return 0
    found = []
    for size in set(sizes):
        others = [*sizes]
        others.remove(size)
        for joining in combinations(there[1:], size - 1):
            left = tuple(e for e in there[1:] if e not in joining)
            found.append(weights.at([(there[0], *joining)]) + least(left, others, weights))
    return min(found)


@pytest.mark.costly
@given(authors=AUTHORS, seats=st.integers(2, 4), salt=st.integers(0, 99))
@examples(40)
def test_the_fewest_bots_of_one_author_meet(authors: list[str], seats: int, salt: int) -> None:
    """In each Swiss round the fewest pairs meet again, and of one author as few as then can."""
    n, apart, met = len(authors), of_authors(authors), Counter[tuple[int, int]]()
    for _, tables in rounds(Swiss(3), n, seats, apart, salt):
        there = tuple(sorted(e for table in tables for e in table))
        sizes = [len(table) for table in tables]
        weights = weighed(range(n), pairs_at(sizes), met, apart.fellows)
        assert weights.at(tables) == least(there, sizes, weights)
        met.update(p for t in tables for one in combinations(t, 2) for p in (one, one[::-1]))


@pytest.mark.parametrize("form", [Swiss(), Gauntlet(2), Knockout(), DoubleElimination(), Groups()])
@given(n=st.integers(5, 20), seats=st.integers(2, 5), salt=st.integers(0, 99))
@examples(8)
def test_authors_that_tell_none_apart_change_nothing(
    form: Format, n: int, seats: int, salt: int
) -> None:
    """If all bots are of different authors, or of one, the tables are as without authors."""
    without, different, one = (
        [tables for _, tables in rounds(form, n, seats, apart, salt)]
        for apart in (Apart(), of_authors([str(e) for e in range(n)]), of_authors("a" * n))
    )

    assert different == without
    assert one == without


@given(
    authors=st.lists(st.sampled_from("abcdefgh"), min_size=6, max_size=40),
    seats=st.integers(2, 5),
    salt=st.integers(0, 99),
)
@examples(40)
def test_in_a_knockout_authors_meet_as_late_as_possible(
    authors: list[str], seats: int, salt: int
) -> None:
    """Two bots of an author sit at one table only if more of its bots play than there are tables.

    Seeds 1 and 2 stay in different halves, and the byes go to the best seeds.
    """
    n = len(authors)
    played = [*rounds(Knockout(), n, seats, of_authors(authors), salt)]
    for _, tables in played[:-1]:
        there = Counter(authors[e] for table in tables for e in table)
        for table in tables:
            here = Counter(authors[e] for e in table)
            assert all(k == 1 or there[a] > len(tables) for a, k in here.items())
    first = {e for table in played[0][1] for e in table}
    assert first == set(range(n - len(first), n))


def early(slots: Slots, seats: int, weights: Weights) -> list[int]:
    """Return the weights of all who have met by each round before the final, if seeds win."""
    met, found = {entrant: [entrant] for entrant in slots}, []
    while len(slots) > seats:
        made = drawn(slots, seats, Weights({}))
        for first, *others in made.tables:
            met[first] += [e for other in others for e in met[other]]
        slots = made.after([table[:1] for table in made.tables])
        found.append(weights.at([met[entrant] for entrant in slots]))
    return found


@given(
    authors=st.lists(st.sampled_from("aaabcd"), min_size=6, max_size=24),
    groups=st.lists(st.sampled_from("abcdefgh"), min_size=24, max_size=24),
    seats=st.integers(2, 3),
    cut=st.integers(0, 24),
)
@examples(40)
def test_no_swap_of_slots_is_left(
    authors: list[str], groups: list[str], seats: int, cut: int
) -> None:
    """No two bots of a class of slots could change places to let any that clash meet later."""
    n = len(authors)
    mates, fellows = (of_one_name(dict(enumerate(names[:n]))) for names in (groups, authors))
    weights = weighed(range(n), pairs_at([n]), mates, fellows=fellows)
    slots = slots_apart([range(n)[:cut], range(n)[cut:]], seats, weights)
    least = early(slots, seats, weights)

    assert {*slots[:cut]} == {*range(n)[:cut]}
    for i, j in combinations(range(n), 2):
        if (i < cut) == (j < cut):
            swapped = [*slots]
            swapped[i], swapped[j] = slots[j], slots[i]
            assert early(swapped, seats, weights) >= least


@given(
    authors=st.lists(st.sampled_from("abcdefgh"), min_size=6, max_size=30),
    size=st.integers(3, 6),
    salt=st.integers(0, 99),
)
@examples(40)
def test_groups_spread_authors(authors: list[str], size: int, salt: int) -> None:
    """A group has two bots more of an author than another only where others must be apart."""
    n, apart = len(authors), of_authors(authors)
    field = next(rounds(Groups(size), n, 2, apart, salt))[0]
    groups = [[line.entrant for line in g.lines] for g in Groups(size).tables(field)]
    weights = weighed(range(n), pairs_at(map(len, groups)), apart.fellows)
    even = 0
    for k in Counter(authors).values():
        share, more = divmod(k, len(groups))
        even += more * pairs_at([share + 1]) + (len(groups) - more) * pairs_at([share])

    assert sorted(e for group in groups for e in group) == list(range(n))
    assert weights.at(groups) == even


@pytest.mark.costly
@given(
    authors=st.lists(st.sampled_from("abc"), min_size=4, max_size=12),
    seats=st.integers(3, 5),
    cycles=st.integers(1, 2),
)
@examples(40)
def test_a_gauntlet_takes_no_more_tables(authors: list[str], seats: int, cycles: int) -> None:
    """Keeping authors apart costs no table, and all tables are as full as without authors."""
    n = len(authors)

    def tables(apart: Apart) -> list[list[int]]:
        found = [of for _, of in rounds(Gauntlet(cycles), n, seats, apart, 0)]
        return [sorted(table) for each in found for table in each]

    apart = tables(of_authors(authors))
    assert [len(table) for table in apart] == [len(table) for table in tables(Apart())]
    assert {e for table in apart for e in table} == set(range(n))


@given(
    authors=st.permutations("aaabbbccddef"),
    seats=st.sampled_from([3, 4, 5]),
    salt=st.integers(0, 9),
)
@examples(30)
def test_authors_sit_apart_in_a_gauntlet(authors: list[str], seats: int, salt: int) -> None:
    """Twelve opponents, of no author more than there are tables, sit beside none of their own."""
    apart = of_authors(["", *authors])
    tables = [of for _, each in rounds(Gauntlet(), 13, seats, apart, salt) for of in each]

    assert len(tables) == 12 // (seats - 1)
    assert not any(pair in apart.fellows for table in tables for pair in combinations(table, 2))


def test_who_is_kept_apart() -> None:
    """Bots of one author, or of one team, are; those without a name and of old plans are not."""
    plan = TournamentPlan(
        Kind.SWISS, (5, 6, 7, 8), authors=("ann", "bob", "ann", ""), teams=("x", "x", "", "")
    )
    told = {apart: replace(plan, apart=apart).pairs_apart().fellows for apart in (None, *KeptApart)}

    assert told == {
        None: set(),
        KeptApart.AUTHOR: {(5, 7), (7, 5)},
        KeptApart.TEAM: {(5, 6), (6, 5)},
        KeptApart.NONE: set(),
    }


def pairs(n: int, most: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Return some pairs of the first n numbers."""
    each = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    return st.lists(each.filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=most)


def can_be_paired(there: tuple[int, ...], seats: int, apart: Apart) -> bool:
    """Return whether these fit at tables of two to `seats` without a forbidden pair, by trying."""
    if not there:
        return True
    first, *others = there
    tables = [(first, *joining) for k in range(1, seats) for joining in combinations(others, k)]
    return any(
        not apart.forbidden_at([table])
        and can_be_paired(tuple(e for e in there if e not in table), seats, apart)
        for table in tables
    )


@pytest.mark.costly
@given(
    n=st.integers(4, 8),
    forbidden=pairs(4, 4),
    seats=st.integers(2, 4),
    authors=AUTHORS,
    salt=st.integers(0, 99),
)
@examples(60)
def test_a_forbidden_pair_never_meets(
    n: int, forbidden: list[tuple[int, int]], seats: int, authors: list[str], salt: int
) -> None:
    """In a Swiss round no forbidden pair sits at a table, unless trying all finds nothing else."""
    both = {pair for one, other in forbidden for pair in ((one, other), (other, one))}
    apart = of_authors(authors[:n]).and_forbidden(both)
    byes = Counter(dict.fromkeys(range(n), 0))
    for _, tables in rounds(Swiss(3), n, seats, apart, salt):
        resting = [e for e in range(n) if all(e not in table for table in tables)]
        if apart.forbidden_at(tables):
            may_rest = [[e] for e in range(n) if resting and byes[e] == min(byes.values())]
            for out in may_rest or [[]]:
                there = tuple(e for e in range(n) if e not in out)
                assert not can_be_paired(there, seats, apart)
            return
        byes.update(resting)
        assert len({e for table in tables for e in table}) == n - len(resting)


@pytest.mark.parametrize(("n", "seats", "sizes"), [(5, 5, [3, 2]), (8, 4, [3, 3, 2])])
def test_more_tables_part_forbidden_pairs(n: int, seats: int, sizes: list[int]) -> None:
    """There are more tables than are needed for the field if only then no forbidden pair meets."""
    clique = frozenset((a, b) for a in range(len(sizes)) for b in range(len(sizes)) if a != b)
    for _, tables in rounds(Swiss(1), n, seats, Apart(forbidden=clique), 0):
        assert sorted(map(len, tables), reverse=True) == sizes


@given(forbidden=pairs(9, 4), salt=st.integers(0, 99))
@examples(30)
def test_groups_hold_forbidden_pairs(forbidden: list[tuple[int, int]], salt: int) -> None:
    """Four pairs of nine bots are in different groups of three, and meet late in the knockout."""
    both = {pair for one, other in forbidden for pair in ((one, other), (other, one))}
    apart = Apart(forbidden=frozenset(both))
    played = [tables for _, tables in rounds(Groups(3), 9, 2, apart, salt)]

    assert not any(apart.forbidden_at(tables) for tables in played[:3])
