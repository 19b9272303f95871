"""Which versions of the rules played the matches, and which of them the owner has dropped.

A dropped match keeps its result and its record. Only its state shows that it does not count.
"""

from sqlalchemy import func, select, update

from ladder.model.matches import MatchState
from ladder.model.rules import RulesPlayed
from ladder.storage.db.database import Transaction
from ladder.storage.db.schema import matches
from ladder.storage.tables import strengths


def played(tx: Transaction, *, in_full: bool = False) -> RulesPlayed:
    """Return which versions of the rules count, and which do not.

    Only `in_full` counts the matches if all are of one version: it takes longer the more there are.
    """
    done, dropped = (_versions(tx, state) for state in (MatchState.DONE, MatchState.DROPPED))
    if not in_full and len(done) + len(dropped) <= 1 and not dropped:
        return RulesPlayed(dict.fromkeys(done))
    return RulesPlayed(
        {version: _count(tx, MatchState.DONE, version) for version in done},
        {version: _count(tx, MatchState.DROPPED, version) for version in dropped},
    )


def _versions(tx: Transaction, state: MatchState) -> list[str]:
    """Return the versions of the rules with matches in a state, in order."""
    found: list[str] = []
    least = select(func.min(matches.c.rules_version)).where(matches.c.state == state)
    while True:
        after = found[-1] if found else ""
        following = tx.execute(least.where(matches.c.rules_version > after)).scalar()
        if following is None:
            return found
        found.append(following)


def drop(tx: Transaction, version: str, reason: str) -> int:
    """Let the finished matches of a version of the rules no longer count; return how many."""
    return _move(tx, version, MatchState.DONE, MatchState.DROPPED, reason)


def keep(tx: Transaction, version: str) -> int:
    """Let the dropped matches of a version of the rules count again; return how many."""
    return _move(tx, version, MatchState.DROPPED, MatchState.DONE, None)


def _move(
    tx: Transaction, version: str, before: MatchState, after: MatchState, reason: str | None
) -> int:
    chosen = update(matches).where(matches.c.state == before, matches.c.rules_version == version)
    moved: int = tx.execute(chosen.values(state=after, reason=reason)).rowcount
    if moved:
        strengths.forget(tx)
    return moved


def _count(tx: Transaction, state: MatchState, version: str) -> int:
    chosen = select(func.count()).where(
        matches.c.state == state, matches.c.rules_version == version
    )
    return tx.execute(chosen).scalar_one()
