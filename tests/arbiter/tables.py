"""What is told of each meeting: scores, forfeits, margins, and who goes on from it and why."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from facts import Meeting, Tournament, differs, is_stage_of_knockout

LOT = "lot"


def check_meetings(cup: Tournament) -> Iterator[str]:
    """Say what is told wrongly of the meetings of all rounds."""
    for meeting in cup.meetings:
        where = f"round {meeting.round}, {' - '.join(meeting.told['entrants'])}"
        for said in _check(cup, meeting):
            yield f"{where}: {said}"


def _check(cup: Tournament, meeting: Meeting) -> Iterator[str]:
    told, scores = meeting.told, meeting.scores() if meeting.bots else {}
    for bot in told["entrants"]:
        yield from differs(f"score of {bot}", told["scores"][bot], scores.get(bot))
    walkover = not told["match_ids"]
    yield from differs("walkover", told["walkover"], walkover)
    yield from differs("void", told["void"], meeting.void)
    yield from differs("matches", told["matches"], meeting.played)
    yield from differs("forfeits", told["forfeits"], _forfeits(meeting))
    if is_stage_of_knockout(cup.format, told["stage"]):
        yield from _check_knockout(cup, meeting)


def _forfeits(meeting: Meeting) -> dict[str, dict[str, int]]:
    """Who forfeited how many matches by what, and who was not there."""
    found: dict[str, Counter[str]] = {}
    for match in meeting.counts:
        for bot in meeting.told["entrants"]:
            kind = "ABSENT" if bot not in match.order else match.kinds.get(bot)
            if kind:
                found.setdefault(bot, Counter())[kind] += 1
    return {bot: dict(kinds) for bot, kinds in found.items()}


def _check_knockout(cup: Tournament, meeting: Meeting) -> Iterator[str]:
    told = meeting.told
    for bot, margin in meeting.margins().items():
        yield from differs(f"margin of {bot}", told["points_margin"][bot], margin)
    for i, deal in enumerate(meeting.more):
        for bot, score in meeting.scores([deal]).items():
            yield from differs(
                f"sudden death {i + 1} of {bot}", told["sudden_death"][i][bot], score
            )
    on, by = goes_on(cup, meeting)
    yield from differs("decided by", told["decided_by"], by)
    values = [values_of(meeting, bot) for bot in told["goes_on"]]
    right = [values_of(meeting, bot) for bot in on]
    yield from differs("goes on", values, right)  # it takes a lot to tell those who are level


def going_on(cup: Tournament, meeting: Meeting) -> int:
    """How many go on from a table: of two or three seats one, of four or five two."""
    final = meeting.told["stage"].endswith(("final", "third place"))
    return 1 if final else max(1, cup.seats // 2)


def goes_on(cup: Tournament, meeting: Meeting) -> tuple[list[str], str | None]:
    """The bots that go on from a table, best first, and what decided it; none while it is open."""
    count = going_on(cup, meeting)
    values = {bot: values_of(meeting, bot) for bot in meeting.bots}
    order = sorted(meeting.bots, key=values.__getitem__, reverse=True)
    if len(order) <= count:
        return order, ""
    ahead, behind = values[order[count - 1]], values[order[count]]
    number = next(
        (i for i, pair in enumerate(zip(ahead, behind, strict=True)) if pair[0] != pair[1]), -1
    )
    names = [
        "score",
        *["sudden death"] * len(meeting.more),
        "absence",
        "points margin",
        "first places",
        LOT,
    ]
    by = names[number]
    level = number < 0 or by in ("points margin", "first places")
    if level and len(meeting.more) < cup.options["sudden_death"]:
        return [], None
    return order[:count], by


def values_of(meeting: Meeting, bot: str) -> list[Fraction]:
    """What is compared between two at a table, in order: who left is behind who did not."""
    return [
        meeting.scores()[bot],
        *(meeting.scores([deal])[bot] for deal in meeting.more),
        Fraction(bot in meeting.counts[-1].order),
        meeting.margins()[bot],
        sum((match.first(bot, meeting.bots) for match in meeting.counts), Fraction()),
    ]
