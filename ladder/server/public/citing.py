"""What an export tells of a ladder for those who cite it."""

from collections.abc import Mapping

from ladder.model.matches import MatchLine
from ladder.results.cited import Cited, CitedMatch, CitedVersion
from ladder.results.standings import standings
from ladder.server.public.reader import PublicReader
from ladder.server.public.snapshot import Snapshot
from referee.match.record import REFEREE_VERSION


def cited(snapshot: Snapshot, source: PublicReader, digests: Mapping[str, str]) -> Cited:
    """Return the public state of a ladder, with the SHA-256 of each record's file by match."""
    basis = source.basis()
    versions = sorted((tally.version for tally in snapshot.tallies), key=lambda v: v.id)
    index = {version.id: i for i, version in enumerate(versions)}
    blocks: dict[str, int] = {}

    def match(line: MatchLine) -> CitedMatch:
        return CitedMatch(
            id=line.match_id,
            round=line.round,
            block=blocks.setdefault(line.deal or line.match_id, len(blocks)),
            state=line.state,  # type: ignore[arg-type] # public matches have a result
            rated=line.match_id not in basis.uncounted,
            seats=tuple(index[s.version.id] if s.version else None for s in line.seats),
            sha256=digests[line.match_id],
        )

    listed = [tally for tally in snapshot.tallies if tally.version.active]
    return Cited(
        format=1,
        courtyard=REFEREE_VERSION,
        ladder_id=snapshot.ladder_id,
        title=snapshot.title,
        game=snapshot.game,
        seats=snapshot.seats,
        clock=snapshot.clock,
        rated_by=snapshot.rated_by,
        matches_a_block=source.ladder.settings.matches_a_block,
        chunks=basis.chunks,
        versions=tuple(
            CitedVersion(
                bot=version.bot,
                version=version.number,
                digest=version.digest,
                author=snapshot.authors.get(version.bot),
                active=version.active,
                founder=version.id in basis.founders,
                mu=snapshot.strengths[version.id].mu,
                sigma=snapshot.strengths[version.id].sigma,
            )
            for version in versions
        ),
        matches=tuple(map(match, snapshot.finished)),
        standings=tuple(standings(listed, snapshot.strengths)),
    )
