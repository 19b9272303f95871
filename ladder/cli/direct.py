"""Commands for the director of a tournament."""

from typing import Annotated

import typer

from ladder.cli import completion
from ladder.cli.console import LadderOption, MatchArgument, command_line, open_ladder, say
from ladder.model import moments
from ladder.model.directives import ByePoints, DirectiveKind
from ladder.model.errors import SettingsError

EntrantArgument = Annotated[
    str,
    typer.Argument(
        metavar="BOT", help="The bot's name in the table.", autocompletion=completion.bots
    ),
]
WhyOption = Annotated[
    str | None, typer.Option(metavar="TEXT", help="The reason, shown with the tournament.")
]
ReasonOption = Annotated[
    str, typer.Option(metavar="TEXT", help="The reason, shown with the tournament.")
]


def withdraw(bot: EntrantArgument, why: WhyOption = None, ladder: LadderOption = None) -> None:
    """Withdraw a bot from a tournament: it is not paired from the next round on.

    Its results stand. In a bracket an opponent left alone advances by walkover. In a round robin
    its results stand only if it played at least half of its meetings.
    """
    _leave(bot, why, ladder, disqualified=False)


def disqualify(bot: EntrantArgument, why: ReasonOption, ladder: LadderOption = None) -> None:
    """Disqualify a bot from a tournament, and place it last.

    Its results stand as if it were withdrawn. A bot can also be disqualified after the last round.
    """
    _leave(bot, _reason(why), ladder, disqualified=True)


def _leave(bot: str, why: str | None, ladder: LadderOption, *, disqualified: bool) -> None:
    from ladder.scheduling.tournament import directing

    with open_ladder(ladder) as opened:
        number = directing.leave(opened, bot, _text(why), disqualified=disqualified)
    how = "disqualified and placed last" if disqualified else "withdrawn"
    say(f"{bot} is {how}: it does not play from round {number} on.")


def bye(
    bot: EntrantArgument,
    number: Annotated[
        int, typer.Option("--round", min=1, metavar="N", help="The round that it misses.")
    ],
    why: ReasonOption,
    points: Annotated[
        ByePoints,
        typer.Option(help="The points of the bye; half points are limited by --half-byes."),
    ] = ByePoints.ZERO,
    ladder: LadderOption = None,
) -> None:
    """Give a bot a bye in a coming round of a Swiss tournament, on its author's request.

    The last round has no half-point byes. `ladder retract BOT` takes a bye back until its round is
    planned.
    """
    from ladder.scheduling.tournament import directing

    with open_ladder(ladder) as opened:
        directing.give_bye(opened, bot, number, points, _reason(why))
    say(f"{bot} has a bye of {_POINTS[points]} in round {number}.")


def forbid(
    bot: EntrantArgument,
    other: Annotated[
        str,
        typer.Argument(metavar="BOT", help="The other bot.", autocompletion=completion.bots),
    ],
    why: ReasonOption,
    ladder: LadderOption = None,
) -> None:
    """Forbid that two bots of a Swiss tournament meet, from the next round on.

    If a round has no pairing without a forbidden pair, the tournament waits for another decision.
    `ladder retract BOT BOT` takes it back. `ladder tournament --forbid` forbids pairs from the
    start.
    """
    from ladder.scheduling.tournament import directing

    with open_ladder(ladder) as opened:
        number, unpaired = directing.forbid(opened, bot, other, _reason(why))
    say(f"{bot} and {other} may not meet from round {number} on.")
    if unpaired:
        say(f"{unpaired[0].upper()}{unpaired[1:]}.")


_POINTS = {ByePoints.ZERO: "0 points", ByePoints.HALF: "half a point"}


def pause(why: WhyOption = None, ladder: LadderOption = None) -> None:
    """Pause a tournament: running matches finish, and no other match begins."""
    from ladder.scheduling.tournament import directing

    with open_ladder(ladder) as opened:
        directing.set_paused(opened, _text(why), paused=True)
        say(f"The tournament is paused. To resume: {command_line('resume', opened.home)}")


def resume(why: WhyOption = None, ladder: LadderOption = None) -> None:
    """Resume a paused tournament."""
    from ladder.scheduling.tournament import directing

    with open_ladder(ladder) as opened:
        directing.set_paused(opened, _text(why), paused=False)
        say(f"The tournament is resumed. To play it: {command_line('run', opened.home)}")


def start(
    when: Annotated[
        str,
        typer.Argument(
            metavar="TIME", help="now, a time of day such as 18:30, or a date and time (ISO 8601)."
        ),
    ],
    why: WhyOption = None,
    ladder: LadderOption = None,
) -> None:
    """Set when the next round of a tournament starts: now, or not before a time.

    A run that waits for the round follows at once. Times without a zone are local; 18:30 is the
    next time that the clock shows it. A later round again waits for the interval that `ladder
    tournament --every` set, if any.
    """
    from ladder.scheduling.tournament import directing

    at = moments.now() if when == moments.NOW else moments.moment_of(when, moments.now())
    with open_ladder(ladder) as opened:
        number = directing.set_start(opened, at, _text(why))
        start = "now" if at <= moments.now() else f"at {moments.local(at)}"
        run = command_line("run", opened.home)
    say(f"Round {number} starts {start}, in the run that waits for it or the next one: {run}")


def annul(match: MatchArgument, why: ReasonOption, ladder: LadderOption = None) -> None:
    """Annul a match of a tournament, and the other matches of its deal; the records stay.

    The meeting counts its other deals; if there is none, all at the table are level. Earlier
    pairings stay. In a bracket a match cannot be annulled once the next round is planned.
    """
    from ladder.results import queries
    from ladder.scheduling.tournament import directing

    with open_ladder(ladder) as opened:
        directing.plan_of(opened)
        chosen = queries.match(opened, match)
        directing.annul(opened, chosen, _reason(why))
    say(f"Match {chosen.match_id} is annulled, and so are the other matches of its deal.")


def retract(
    about: Annotated[
        str,
        typer.Argument(
            metavar="BOT|MATCH",
            help="The bot's name in the table, or a match's id or a prefix of it.",
            autocompletion=completion.bots,
        ),
    ],
    why: ReasonOption,
    other: Annotated[
        str | None,
        typer.Argument(
            metavar="BOT",
            help="The other bot of a forbidden pair, which may meet again.",
            autocompletion=completion.bots,
        ),
    ] = None,
    ladder: LadderOption = None,
) -> None:
    """Retract the last decision about a bot or match, such as a bot withdrawn by mistake.

    With two bots it is that by which they may not meet, also from the start of the tournament.

    Rounds already planned stay as they are. A bot plays again from the next one on, and meetings
    that it missed stay lost; in a Swiss a missed round is a bye without points. A place that others
    took in a bracket stays theirs. Both decisions stay in the tournament's list.
    """
    from ladder.scheduling.tournament import directing

    with open_ladder(ladder) as opened:
        taken = directing.retract(opened, about, other, _reason(why))
    again = "" if taken.returns is None else f": it plays again from round {taken.returns} on"
    undone = _UNDONE[taken.kind].format(taken.others)
    say(f"{about} and {other} may meet again." if other else f"{about} {undone}{again}.")


_UNDONE = {
    DirectiveKind.WITHDRAW: "is no longer withdrawn",
    DirectiveKind.DISQUALIFY: "is no longer disqualified",
    DirectiveKind.HALF_BYE: "is paired again in the round of its last bye",
    DirectiveKind.ZERO_BYE: "is paired again in the round of its last bye",
    DirectiveKind.FORBID: "may meet {} again",
    DirectiveKind.ANNUL: "is no longer annulled: it counts again",
}


def _text(why: str | None) -> str | None:
    """Return a reason as one line; None if it is empty."""
    return " ".join(why.split()) or None if why else None


def _reason(why: str) -> str:
    """Return a reason as one line; raise `SettingsError` if it is empty."""
    if not (text := _text(why)):
        raise SettingsError("--why needs a reason, which everyone can read")
    return text
