"""The report shows what the results support, and no more."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ladder.model.matches import PlannedMatch, Played
from ladder.results.diagnostics.cycles import Cycle
from ladder.results.diagnostics.lottery import Disagreement
from ladder.results.diagnostics.unevenness import Uneven
from ladder.results.report import words
from ladder.results.report.facts import ReportFacts, facts, findings
from ladder.server.web.report_page import _around_zero, report_file
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from tests.ladder.results.report.derivation import derive, told

Fill = Callable[..., Ladder]
HONEST = {"ann": 0.6, "bob": 0.3, "cat": 0.1, "dan": -0.2, "eve": -0.4, "fay": -0.4}


@pytest.fixture(scope="module")
def honest(fill: Fill) -> ReportFacts:
    """The report of an honest field."""
    return facts(fill(HONEST, 90))


@pytest.mark.costly
def test_every_number_of_the_standings_is_derived(honest: ReportFacts) -> None:
    """Every figure of the standings is in the report or follows from it."""
    assert honest.joint
    assert "From places and points" in told(honest)
    derive(honest, told(honest))


def test_every_bot_has_one_line_on_a_narrow_terminal(honest: ReportFacts) -> None:
    """The standings of a report drop columns rather than break names."""
    told_narrowly = told(honest, width=50).splitlines()

    for row in honest.standings:
        assert any(line.split()[2:3] == [row.bot] for line in told_narrowly)


@pytest.mark.costly
def test_versions_that_come_and_go(
    fill: Fill, make_bot: Callable[..., Path], enter: Callable[..., object]
) -> None:
    """A new version starts at its predecessor's rating; retired ones are listed as opponents."""
    ladder = fill(HONEST, 30)
    before = {row.bot: row for row in facts(ladder).standings}["bob"]
    enter(ladder, make_bot("bob", "another version"))

    found = facts(ladder)
    now = next(row for row in found.standings if row.bot == "bob")

    derive(found, told(found))
    assert (now.matches, now.blocks, now.provisional) == (0, 0, True)
    old, new = (found.names.index(name) for name in ("bob@1", "bob@2"))
    assert found.places[new] == pytest.approx(found.places[old], abs=1e-3)
    assert found.points[new] == pytest.approx(found.points[old], abs=1e-3)
    assert now.sigma > 2 * before.sigma
    assert now.matches_to_separate is None

    ladder.retire("eve")
    found = facts(ladder)

    derive(found, told(found))
    assert "eve" not in {row.bot for row in found.standings}
    assert {line[1] for line in words.results(found) if line[0] == "-"} == {"bob@1", "eve"}


def test_without_points_places_are_all(ladder: Ladder, played: Callable[..., Played]) -> None:
    """If all points are equal, the report uses places alone."""
    with ladder.database.write() as tx:
        four = tuple(bots.active(tx))
        match = PlannedMatch("1a" * 16, 1, 0, four)
        matches.add(tx, [match])
        result = played(match, 1, 2, 3, 4)
        level = tuple(replace(seat, points=7) for seat in result.seats)
        matches.finish(tx, replace(result, seats=level))

    found = facts(ladder)

    assert found.joint is None
    assert "From places and points" not in told(found)


def test_most_of_a_strength_comes_from_the_results(honest: ReportFacts) -> None:
    """After many blocks TrueSkill's correction is small."""
    for line in words.results(honest):
        assert abs(float(line[words.RESULTS.index("rest")])) < 0.1


def test_an_honest_field_is_not_accused(honest: ReportFacts) -> None:
    """The report suspects no bot and gives its false-alarm rate."""
    assert honest.favours
    assert not honest.suspects
    assert "No bot is suspected" in told(honest)
    assert "1 %" in told(honest)


def test_a_seat_that_wins_is_found(fill: Fill) -> None:
    """A real seat advantage has an interval above zero."""
    found = facts(fill(HONEST, 60, lambda _, seat: 0.8 if seat == 2 else 0.0))
    advantage = found.advantages[4]

    assert advantage.seats[2].low > 0
    assert advantage.p_value < 0.001
    assert "The seats differ" in told(found)


@pytest.mark.costly
def test_two_that_spare_each_other_are_found(fill: Fill) -> None:
    """A pair that does better against others when together is suspect."""

    def help_each_other(names: Sequence[str], seat: int) -> float:
        return 1.5 if {"cat", "dan"} <= set(names) and names[seat] in ("cat", "dan") else 0.0

    found = facts(fill(HONEST, 120, help_each_other))

    assert any({f.helper, f.helped} == {2, 3} for f in found.suspects)
    assert "Suspected" in told(found)


def test_nothing_is_rated_yet(ladder: Ladder) -> None:
    """A ladder without a complete block has a short report and page."""
    found = facts(ladder)

    assert "No ratings yet" in told(found)
    assert "No ratings yet" in report_file(found)


def test_many_bots_are_listed(fill: Fill) -> None:
    """A matrix too wide becomes a list of the least expected pairs."""
    many = {f"bot-{i:02}": 0.1 * i for i in range(14)}
    text = told(facts(fill(many, 40)))

    assert "expected" in text
    assert max(map(len, text.splitlines())) <= 100


class Reader(HTMLParser):
    """Collects a page's requests, and unclosed elements."""

    EMPTY = ("meta", "link", "br")

    def __init__(self) -> None:
        """Begin."""
        super().__init__()
        self.fetched: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.fetched += [v or "" for name, v in attrs if name in ("src", "href")]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close it."""
        assert self.open.pop() == tag


def test_the_page_needs_nothing_else(honest: ReportFacts) -> None:
    """The page loads no other file and closes every element."""
    text = report_file(honest)
    reader = Reader()
    reader.feed(text)

    assert reader.open == []
    assert all(link.startswith("#") or link == "data:," for link in reader.fetched)
    assert not re.search(r"url\(|@import|https?://", text)


@pytest.mark.parametrize(
    ("farthest", "ticks"),
    [
        (0.0, ["-0.1", "0", "+0.1"]),
        (0.31, ["-0.4", "-0.2", "0", "+0.2", "+0.4"]),
        (1.2, ["-1.5", "-1", "-0.5", "0", "+0.5", "+1", "+1.5"]),
    ],
)
def test_axes_have_round_ticks(farthest: float, ticks: list[str]) -> None:
    """The ticks of an axis around zero are few and round, and span the farthest value."""
    widest, marks = _around_zero(farthest)

    assert widest >= farthest
    assert [label for _, label in marks] == ticks


def test_a_cycle_is_one_sentence(honest: ReportFacts) -> None:
    """Terminal and page name who beats whom in a cycle, and how often."""
    a, b, c = honest.names[:3]
    found = replace(honest, cycles=[Cycle((0, 1, 2), (0.75, 0.7, 0.65), 0.001)])
    sentence = f"{a} beats {b} (75.0%), {b} beats {c} (70.0%), {c} beats {a} (65.0%)."

    assert honest.cycles == []
    assert sentence in told(found)
    assert sentence in report_file(found)
    (cycle,) = findings(found)["cycles"]
    assert (cycle["bots"], cycle["wins"]) == ([a, b, c], [0.75, 0.7, 0.65])


def test_a_disagreement_is_one_sentence(honest: ReportFacts) -> None:
    """The report says whom the results of pairs alone would put first, and only then."""
    a, b = honest.names[:2]
    found = replace(honest, disagreement=Disagreement(0, {1: 1.0}, 0.6))
    sentence = f"By the results of pairs alone, {a} would not be first"

    assert honest.disagreement is None
    assert sentence not in told(honest)
    assert sentence in told(found)
    assert f"the maximal lottery of {b} (100.0%) comes before it in 60.0% of" in report_file(found)
    assert findings(found)["disagreement"] == {"first": a, "lottery": {b: 1.0}, "ahead": 0.6}


def test_an_uneven_bot_is_one_sentence(honest: ReportFacts) -> None:
    """Terminal and page name on which seat a bot plays otherwise, or how it has changed."""
    a, b = honest.names[:2]
    uneven = [Uneven(0, 2, 4, 0.12, 0.001), Uneven(1, None, 0, -0.07, 0.002)]
    found = replace(honest, uneven=uneven)

    assert honest.uneven == []
    for text in (" ".join(told(found).split()), report_file(found)):
        assert f"{a} plays better on seat 2 of tables of 4 than on their other seats" in text
        assert f"{b} has become weaker" in text
        assert "7 fewer of 100 opponents" in text


def test_the_page_shows_all(honest: ReportFacts) -> None:
    """Every bot is in the plot, the tables and both matrices, and the summary comes first."""
    text = report_file(honest)

    assert all(text.count(name) > 10 for name in HONEST)
    assert text.count('class="heat') == 2
    sections = re.findall(r'<h2 id="(\w+)"', text)
    assert sections[:2] == ["summary", "ratings"]
    assert all(line in unescape(text) for line in words.summary(honest))
    assert words.summary(honest)[0].startswith("ann is ")


def test_what_deserves_a_look_is_summarized(honest: ReportFacts) -> None:
    """The summary counts what the report suspects, and says so if that is nothing."""
    cycle, uneven = Cycle((0, 1, 2), (0.75, 0.7, 0.65), 0.001), Uneven(0, None, 0, 0.12, 0.001)
    found = replace(honest, cycles=[cycle, cycle], uneven=[uneven])

    assert words.summary(honest)[-1].startswith("No sign of circles")
    assert words.summary(found)[-1] == (
        "Worth a look: 2 circles of bots that beat each other, one bot that plays unevenly."
    )
