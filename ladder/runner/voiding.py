"""Voids played matches that should not count, and drops those of a version of the rules."""

from collections.abc import Collection, Sequence

from ladder.model.errors import LadderError
from ladder.model.matches import MatchLine, MatchState
from ladder.storage.ladder import Ladder
from ladder.storage.tables import matches, rules
from referee.core.verdicts import MOST_ATTEMPTS


def void(ladder: Ladder, chosen: Sequence[MatchLine], reason: str) -> None:
    """Void matches for good.

    The matches are done, or postponed until the next run. As with every void match, the others of
    its deal no longer count either. The record stays. Raise `LadderError` if one of them cannot be
    voided, `LockedError` while matches are played.
    """
    for match in chosen:
        if _was_given_up(match):
            continue
        if (contest := ladder.settings.contest) is not None:
            remedy = f"`ladder annul {match.match_id[:12]} --why TEXT` lets it not count"
            if contest.get("contest") == "duel":
                remedy = "what was played after it follows from it; play this again in a new folder"
            raise LadderError(f"match {match.match_id} stays: {remedy}")
        if not match.state.has_result:
            raise LadderError(f"match {match.match_id} is {match.state}, not done")
    with ladder.locked(), ladder.database.write() as tx:
        for match in chosen:
            take_out = matches.drop if _was_given_up(match) else matches.take_out
            take_out(tx, match.match_id, reason)


def drop_rules(ladder: Ladder, version: str, reason: str) -> int:
    """Let the matches of a version of the rules no longer count; return how many these are.

    They keep their results and their records. The others of their deals no longer count either.
    Raise `LadderError` if there are none, `LockedError` while matches are played.
    """
    _check_standing(ladder)
    with ladder.locked(), ladder.database.write() as tx:
        known = rules.played(tx)
        if not (dropped := rules.drop(tx, version, reason)):
            raise LadderError(
                _none_of(version, known.counted, known.dropped, "are dropped already")
            )
    return dropped


def keep_rules(ladder: Ladder, version: str) -> int:
    """Let the dropped matches of a version of the rules count again; return how many these are.

    Raise `LadderError` if there are none, `LockedError` while matches are played.
    """
    with ladder.locked(), ladder.database.write() as tx:
        known = rules.played(tx)
        if not (kept := rules.keep(tx, version)):
            raise LadderError(_none_of(version, known.dropped, known.counted, "count already"))
    return kept


def _check_standing(ladder: Ladder) -> None:
    if (contest := ladder.settings.contest) is not None:
        kind = contest.get("contest")
        remedy = "" if kind == "duel" else "; `ladder annul MATCH --why TEXT` lets one not count"
        raise LadderError(
            f"a {kind}'s matches stay, of whatever rules, as what was played after them follows "
            f"from them: to play it by one version of the rules, begin it in a new folder{remedy}"
        )


def _none_of(version: str, asked: Collection[str], others: Collection[str], otherwise: str) -> str:
    """Return the error text for a version of the rules that has no matches to move."""
    if version in others:
        return f"the matches of rules {version} {otherwise}"
    known = ", ".join(sorted({*asked, *others})) or "none"
    return f"no match was played by rules {version!r}; the rules of matches here: {known}"


def _was_given_up(match: MatchLine) -> bool:
    """Return whether a match waits for the next run."""
    tried = match.state is MatchState.PLANNED and match.attempts >= MOST_ATTEMPTS
    return match.postponed or tried
