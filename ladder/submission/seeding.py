"""Seeds the bots of a tournament: by rating, by draw, or in the order given."""

from collections.abc import Sequence

from ladder.model.bots import Version
from ladder.model.errors import SettingsError
from ladder.scheduling.tournament.planner import Seeding
from ladder.submission.entrants import Entrants, ratings_of
from referee.games.randomness import Stream


def check_seeding(named: Entrants, wanted: Seeding | None) -> None:
    """Raise `SettingsError` if seeding by rating is wanted and not all bots have a rating."""
    if wanted is not Seeding.RATING:
        return
    strengths = ratings_of(named)
    if unrated := [one.word for one in named.each if one.word not in strengths]:
        raise SettingsError(
            f"--seeding rating: no standing ladder has rated {', '.join(unrated)}; "
            "use --seeding draw or --seeding given"
        )


def seeded(
    named: Entrants, versions: Sequence[Version], wanted: Seeding | None, secret: str
) -> tuple[Seeding, list[Version]]:
    """Return the kind of seeding and the versions, the first seed first.

    `versions` are those of the named bots, in the same order. By default the bots are seeded by the
    standing ladder's rating if it has rated all of them, else by a draw from the secret, which does
    not depend on the order in which they are named.
    """
    if wanted is Seeding.GIVEN:
        return wanted, list(versions)
    if wanted is not Seeding.DRAW:
        check_seeding(named, wanted)
        strengths = ratings_of(named)
        entered = {one.word: v for one, v in zip(named.each, versions, strict=True)}
        if strengths.keys() == entered.keys():
            strongest_first = sorted(entered, key=lambda word: -strengths[word])
            return Seeding.RATING, [entered[word] for word in strongest_first]
    in_no_order = sorted(versions, key=lambda version: (version.bot, version.digest))
    return Seeding.DRAW, Stream(secret, "seeds").shuffled(in_no_order)
