"""Derives the standings from a report's cells, as with a calculator."""

import re
from collections.abc import Sequence
from io import StringIO
from statistics import NormalDist

from rich.console import Console

from ladder.cli.report_text import printed
from ladder.results.report import words
from ladder.results.report.facts import ReportFacts
from ladder.results.standings import COLUMNS, cells, columns

HALF_A_THOUSANDTH = 0.00051
HALF_A_TENTH = 0.06


def told(of: ReportFacts, width: int = 100) -> str:
    """Return a printed report."""
    console = Console(width=width, record=True, file=StringIO())
    for part in printed(of, width):
        console.print(part)
    return console.export_text()


def derive(of: ReportFacts, report: str) -> None:
    """Check that each cell of the standings follows from the printed report."""
    every = [dict(zip(COLUMNS, cells(row), strict=True)) for row in of.standings]
    chosen = columns(of.standings)
    shown = [_line(report, chosen, [line[name] for name in chosen]) for line in every]
    counts = [_line(report, words.COUNTS, line) for line in words.counts(of)]
    results = [_line(report, words.RESULTS, line) for line in words.results(of)]
    strengths = [_line(report, words.ratings_columns(of), line) for line in words.ratings(of)]
    neighbours = [_line(report, words.NEIGHBOURS, line) for line in words.neighbours(of)]
    for line, count in zip(shown, counts, strict=True):
        _counted(line, count)
    for i, (line, result, strength) in enumerate(zip(shown, results, strengths, strict=False)):
        logit = result["logit"]
        if of.joint is not None:
            both = _line(report, words.JOINED, words.joined(of, of.joint)[i])
            assert both["places"] == logit
            logit = both["logit"]
            sum_of_parts = (1 - of.joint.share) * float(both["places"])
            sum_of_parts += of.joint.share * float(both["points"]) + float(both["family"])
            assert abs(sum_of_parts - float(logit)) < 4 * HALF_A_THOUSANDTH
        assert logit == strength["logit"]
        _rated(line, result, strength)
    logits = [float(line["logit"]) for line in strengths]
    assert {line["#"] for line in shown if line["next"]} == {line["#"] for line in neighbours}
    for neighbour in neighbours:
        i = int(neighbour["#"]) - 1
        played = all(line["blocks"] != "0" for line in results[i : i + 2])
        _next(shown[i], neighbour, logits[i], logits[i + 1], played=played)


def _line(report: str, names: Sequence[str], line: Sequence[str]) -> dict[str, str]:
    """Return a report line's cells, by column."""
    assert " ".join(" ".join(line).split()) in " ".join(report.split())
    return dict(zip(names, line, strict=True))


def _counted(shown: dict[str, str], count: dict[str, str]) -> None:
    played = float(count["matches"].replace(",", ""))
    assert shown["matches"] == count["matches"].replace(",", "")
    if not played:
        assert shown["wins"] == shown["points"] == shown["faults"] == "-"
        return
    assert abs(_share(shown["wins"]) - float(count["first"]) / played) < HALF_A_THOUSANDTH
    assert shown["points"] == f"{float(count['sum'].replace(',', '')) / played:.1f}"
    assert shown["faults"] == f"{100 * float(count['forfeits'].replace(',', '')) / played:.1f}%"


def _rated(shown: dict[str, str], result: dict[str, str], strength: dict[str, str]) -> None:
    logit, error = float(strength["logit"]), float(strength["error"])
    if result["results"] != "beyond":  # the bot won or lost everything
        alone = 0.0 if result["results"] == "none" else float(result["results"])
        added = alone + float(result["rest"])
        assert abs(added - float(result["logit"])) < 3 * HALF_A_THOUSANDTH
    assert shown["rating"] == strength["rating"]
    mu, off = (float(part) for part in shown["rating"].split("±"))
    told_scale = words.RATINGS_MEAN["rating"]
    start, scale = map(float, re.findall(r"(\d[\d.]*) \+ (\d[\d.]*) logit", told_scale)[0])
    assert abs(mu - (start + scale * logit)) < HALF_A_TENTH
    assert abs(off - 2 * scale * error) < HALF_A_TENTH
    assert shown["ranks"].rstrip("?") == strength["ranks"]
    assert shown["ranks"].endswith("?") == (int(result["blocks"]) < 6)


def _next(
    shown: dict[str, str], told_next: dict[str, str], own: float, others: float, *, played: bool
) -> None:
    gap, error = float(told_next["gap"]), float(told_next["error"])
    assert (shown["#"], shown["bot"]) == (told_next["#"], told_next["bot"].partition("@")[0])
    assert abs(gap - (own - others)) < 3 * HALF_A_THOUSANDTH
    assert abs(float(told_next["next"]) - NormalDist().cdf(gap / error)) < 0.005
    assert abs(float(shown["next"]) - float(told_next["next"])) < 0.006
    if gap / error < 1.64 and played:
        assert told_next["matches"]
    elif gap / error > 1.65:
        assert not told_next["matches"]


def _share(percent: str) -> float:
    return float(percent.rstrip("%")) / 100
