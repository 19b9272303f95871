"""Commands for the director of a tournament."""

from typing import Annotated

import typer

from ladder.cli import completion
from ladder.cli.console import LadderOption, MatchArgument, command_line, open_ladder, say
from ladder.model.directives import DirectiveKind
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

    Its results stand. In a knockout an opponent left alone advances by walkover. In a round robin
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


def annul(match: MatchArgument, why: ReasonOption, ladder: LadderOption = None) -> None:
    """Annul a match of a tournament, and the other matches of its deal; the records stay.

    The meeting counts its other deals; if there is none, all at the table are level. Earlier
    pairings stay. In a knockout a match cannot be annulled once the next round is planned.
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
    ladder: LadderOption = None,
) -> None:
    """Retract the last decision about a bot or match, such as a bot withdrawn by mistake.

    This works until the next round is planned, as its pairings follow the decision. Both decisions
    stay in the tournament's list.
    """
    from ladder.scheduling.tournament import directing

    with open_ladder(ladder) as opened:
        taken = directing.retract(opened, about, _reason(why))
    say(f"{about} is {_UNDONE[taken.kind]}.")


_UNDONE = {
    DirectiveKind.WITHDRAW: "no longer withdrawn",
    DirectiveKind.DISQUALIFY: "no longer disqualified",
    DirectiveKind.ANNUL: "no longer annulled: it counts again",
}


def _text(why: str | None) -> str | None:
    """Return a reason as one line; None if it is empty."""
    return " ".join(why.split()) or None if why else None


def _reason(why: str) -> str:
    """Return a reason as one line; raise `SettingsError` if it is empty."""
    if not (text := _text(why)):
        raise SettingsError("--why needs a reason, which everybody can read")
    return text
