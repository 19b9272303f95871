"""What the director of a tournament decides while it is played."""

from typing import Annotated

import typer

from ladder.cli import completion
from ladder.cli.console import LadderOption, MatchArgument, command_line, open_ladder, say
from ladder.model.directives import DirectiveKind
from ladder.model.errors import SettingsError

EntrantArgument = Annotated[
    str,
    typer.Argument(metavar="BOT", help="As the table calls it.", autocompletion=completion.bots),
]
WhyOption = Annotated[
    str | None, typer.Option(metavar="TEXT", help="The reason; it is shown with the tournament.")
]
ReasonOption = Annotated[
    str, typer.Option(metavar="TEXT", help="The reason; it is shown with the tournament.")
]


def withdraw(bot: EntrantArgument, why: WhyOption = None, ladder: LadderOption = None) -> None:
    """Take a bot out of a tournament: from the next round on it is not paired.

    What it has played stands. In a knockout its opponents go on by walkover; in a round robin its
    results stand if it played at least half of its meetings, else nothing counts that it played.
    """
    _leave(bot, why, ladder, disqualified=False)


def disqualify(bot: EntrantArgument, why: ReasonOption, ladder: LadderOption = None) -> None:
    """Take a bot out of a tournament for a reason, and place it last.

    What it has played stands or not as if it was withdrawn. That goes after the end, too.
    """
    _leave(bot, _reason(why), ladder, disqualified=True)


def _leave(bot: str, why: str | None, ladder: LadderOption, *, disqualified: bool) -> None:
    from ladder.scheduling.tournament import directing

    with open_ladder(ladder) as opened:
        number = directing.leave(opened, bot, _text(why), disqualified=disqualified)
    how = "disqualified and placed last" if disqualified else "withdrawn"
    say(f"{bot} is {how}: it plays no more from round {number} on.")


def pause(why: WhyOption = None, ladder: LadderOption = None) -> None:
    """Let no match of a tournament begin; those under way are finished."""
    from ladder.scheduling.tournament import directing

    with open_ladder(ladder) as opened:
        directing.set_paused(opened, _text(why), paused=True)
        say(f"The tournament is paused. To go on: {command_line('resume', opened.home)}")


def resume(why: WhyOption = None, ladder: LadderOption = None) -> None:
    """Let a tournament that was paused go on."""
    from ladder.scheduling.tournament import directing

    with open_ladder(ladder) as opened:
        directing.set_paused(opened, _text(why), paused=False)
        say(f"The tournament may go on. To play it: {command_line('run', opened.home)}")


def annul(match: MatchArgument, why: ReasonOption, ladder: LadderOption = None) -> None:
    """Let a match of a tournament not count, nor the others of its deal; its record stays.

    The meeting counts its other deals; without any, all at the table are level. Pairings that were
    made before stay. In a knockout a match stands once the next round is planned.
    """
    from ladder.scheduling.tournament import directing

    with open_ladder(ladder) as opened:
        directing.plan_of(opened)
        chosen = opened.match(match)
        directing.annul(opened, chosen, _reason(why))
    say(f"Match {chosen.match_id} is annulled: neither it nor the others of its deal count.")


def retract(
    about: Annotated[
        str,
        typer.Argument(
            metavar="BOT|MATCH",
            help="A bot as the table calls it, or the beginning of a match's id.",
            autocompletion=completion.bots,
        ),
    ],
    why: ReasonOption,
    ladder: LadderOption = None,
) -> None:
    """Take back what was decided last about a bot or match, such as a bot withdrawn by mistake.

    That goes until the next round is planned, as then others have been paired by it. Both decisions
    stay in the tournament's list.
    """
    from ladder.scheduling.tournament import directing

    with open_ladder(ladder) as opened:
        taken = directing.retract(opened, about, _reason(why))
    say(f"{about} is {_UNDONE[taken.kind]}.")


_UNDONE = {
    DirectiveKind.WITHDRAW: "not withdrawn any more",
    DirectiveKind.DISQUALIFY: "not disqualified any more",
    DirectiveKind.ANNUL: "not annulled any more: it counts",
}


def _text(why: str | None) -> str | None:
    """Return a reason in one line; None if there is none."""
    return " ".join(why.split()) or None if why else None


def _reason(why: str) -> str:
    """Return a reason in one line; raise `SettingsError` if nothing is said."""
    if not (text := _text(why)):
        raise SettingsError("--why says nothing: a reason is needed, as everybody will read it")
    return text
