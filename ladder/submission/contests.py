"""What tournaments and duels share: they enter all bots or none, and go on with the same files."""

from collections.abc import Callable, Sequence
from pathlib import Path

from ladder.model.bots import SubmissionOutcome, Version
from ladder.model.errors import LadderError, SettingsError
from ladder.results import queries
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from ladder.submission import submit
from ladder.submission.entrants import Entrant, digest_meant
from referee.core.errors import CourtyardError


def check_files(
    ladder: Ladder,
    words: Sequence[str],
    standing: Path | None,
    begun: Sequence[int],
    to_go_on: str,
) -> None:
    """Raise `SettingsError` if these words name other files than those of these versions.

    The error says how to continue the contest (`to_go_on`).
    """
    with ladder.database.read() as tx:
        known = bots.all_versions(tx)
    for word, number in zip(words, begun, strict=True):
        digest = digest_meant(word, standing)
        if digest is not None and digest != known[number].digest:
            raise SettingsError(
                f"{ladder.home.path}: this contest has other files of {known[number].bot} than "
                f"{word}; {to_go_on}, or name another folder"
            )


def enter(
    ladder: Ladder, contenders: Sequence[Entrant], say: Callable[[str], None]
) -> list[Version]:
    """Enter all contenders and return their versions; raise `LadderError` if some are unfit.

    Validate all of them first, so that one run reports every problem to `say`. If some are unfit,
    no bot is active afterwards; otherwise no other is, such as one of an earlier attempt.
    """
    versions, unfit = list[Version](), list[str]()
    for contender in contenders:
        try:
            submission = submit.submit(
                ladder, contender.folder, say, stored=contender.version is not None
            )
        except CourtyardError as error:
            unfit.append(f"{contender.word}: {error}")
            continue
        if submission.outcome is SubmissionOutcome.REJECTED:
            unfit.append(f"{submission.version} may not play: {submission.version.rejected}")
        versions.append(submission.version)
    _retire_others(ladder, () if unfit else versions)
    if len(unfit) == 1:
        raise LadderError(unfit[0])
    if unfit:
        for problem in unfit:
            say(problem)
        raise LadderError(f"{len(unfit)} of {len(contenders)} bots cannot take part; see above")
    twice = {version.id for version in versions if versions.count(version) > 1}
    if len({version.id for version in versions}) < len(versions):
        names = sorted({str(v) for v in versions if v.id in twice})
        raise LadderError(f"two entrants have the same files: {', '.join(names)}")
    return versions


def _retire_others(ladder: Ladder, entrants: Sequence[Version]) -> None:
    """Retire the bots that are not among the entrants."""
    chosen = {entrant.id for entrant in entrants}
    for version in queries.playing(ladder):
        if version.id not in chosen:
            ladder.retire(version.bot)
