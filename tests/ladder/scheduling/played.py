"""Plays tournaments by a rule for the places."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations

from ladder.scheduling.tournament.formats.base import Field, Format, Meeting, MeetingResult, Ranks

Play = Callable[[Meeting], Ranks]


def sampled(sizes: range, cases: int) -> list[tuple[int, int]]:
    """Return fields with seats, 2 to 5: all of them, or fewer if there are few cases to try."""
    fields = [(n, seats) for n in sizes for seats in (2, 3, 4, 5)]
    return fields[:: len(fields) // cases | 1]  # an odd step comes to every number of seats


def by_seed(meeting: Meeting) -> Ranks:
    """Let the smaller number win."""
    return tuple(1 + sum(o < e for o in meeting.entrants) for e in meeting.entrants)


def somehow(salt: int, places: int = 5) -> Play:
    """Let chance decide, now and then with shared ranks; the fewer places the more."""

    def ranks(meeting: Meeting) -> Ranks:
        drawn = [
            random.Random(f"{salt} {meeting.round} {e}").randrange(places) for e in meeting.entrants
        ]
        return tuple(1 + sum(o < e for o in drawn) for e in drawn)

    return ranks


def played(form: Format, entrants: Sequence[int], seats: int, ranks: Play) -> Field:
    """Play a tournament to its end."""
    results: list[MeetingResult] = []
    for _ in range(400):
        meetings = form.next_round(Field(entrants, seats, results))
        if not meetings:
            return Field(entrants, seats, results)
        results += [MeetingResult(meeting, (ranks(meeting),)) for meeting in meetings]
    raise AssertionError("the tournament does not end")


def rounds_of(field: Field) -> list[list[Meeting]]:
    """Return the meetings of each round."""
    meetings = [result.meeting for result in field.results]
    return [[m for m in meetings if m.round == number] for number in range(field.rounds)]


def met_in(meetings: Sequence[Meeting]) -> Counter[frozenset[int]]:
    """Return how often each pair met."""
    return Counter(frozenset(pair) for m in meetings for pair in combinations(m.entrants, 2))


def byes_in(form: Format, field: Field) -> list[list[int]]:
    """Return who had a bye in each round."""
    return [
        form.resting(field.before(number), meetings)
        for number, meetings in enumerate(rounds_of(field))
    ]
