"""The command `ladder tournament`, which creates, plays, continues and shows a tournament."""

import shlex
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.console import WorkersOption, command_line, console, program, say, say_plainly
from ladder.cli.contest import (
    GameOption,
    SandboxOption,
    SeatsOption,
    SettingsOption,
    StandingOption,
    Wanted,
    check_files,
    check_same,
    enter,
    make,
    tell_more,
    write,
)
from ladder.cli.play import play
from ladder.cli.seeds import ReproducibleOption, SeedOption
from ladder.model.errors import SettingsError
from ladder.model.settings import title_of
from ladder.scheduling.tournament.formats.deciding import USUAL_DEALS
from ladder.scheduling.tournament.planner import (
    Kind,
    Seeding,
    TournamentPlan,
    TournamentPlanner,
    TournamentProgress,
    directives_of,
    progress_of,
    stored_rounds,
)
from ladder.storage.folder import Home
from referee.games import game_named
from referee.games.randomness import Stream

if TYPE_CHECKING:
    from ladder.model.directives import Directive
    from ladder.scheduling.contest import Draft
    from ladder.scheduling.ladder.balanced import VersionId
    from ladder.scheduling.tournament.summary import TournamentSummary
    from ladder.storage.ladder import Ladder
    from ladder.submission import entrants as contenders


def tournament(
    kind: Annotated[Kind, typer.Argument(metavar="FORMAT", help=f"{', '.join(Kind)}.")],
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="The tournament's folder, a ladder of its own; created if missing."
        ),
    ],
    entrants: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BOT",
            help="Folders with a bot.toml, or names of bots of a standing ladder; in a gauntlet "
            "the challenger comes first. Default: all its active bots, the strongest first.",
        ),
    ] = None,
    game: GameOption = None,
    seats: SeatsOption = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Rounds of a Swiss tournament (default: enough for a single leader, and two more "
            "as far as no bots must meet again); cycles of a round robin or gauntlet (default: 1).",
        ),
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Deals per meeting, each played on all rotations of the seats; more deals reduce "
            "luck. Default: 1.",
        ),
    ] = None,
    group_size: Annotated[
        int | None, typer.Option(min=2, help="The maximum number of bots in a group. Default: 4.")
    ] = None,
    advancing: Annotated[
        int | None, typer.Option(min=1, help="How many bots of each group advance. Default: 2.")
    ] = None,
    seeding: Annotated[
        Seeding | None,
        typer.Option(
            help="Seed the bots by the standing ladder's rating, by a draw from the tournament's "
            "secret, or in the order given. Default: by rating if all have one, else by draw.",
        ),
    ] = None,
    sudden_death: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="DEALS",
            help="In a knockout, the maximum number of extra deals to break a tie over who "
            f"advances; then points margin, first places and lot. Default: {USUAL_DEALS}.",
        ),
    ] = None,
    title: Annotated[
        str, typer.Option(help="The tournament's title. Default: its folder and its game.")
    ] = "",
    seed: SeedOption = None,
    settings: SettingsOption = None,
    sandbox: SandboxOption = None,
    json: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write rules, table and rounds to this file."),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            metavar="FILE",
            help="Write the table to this file, and the cross table to FILE with -cross.",
        ),
    ] = None,
    trf: Annotated[
        Path | None,
        typer.Option(
            "--trf",
            metavar="FILE",
            help="Write a two-seat Swiss tournament to this file in FIDE's TRF format.",
        ),
    ] = None,
    workers: WorkersOption = None,
    ladder: StandingOption = None,
    *,
    reproducible: ReproducibleOption = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Show every round and rule, however long.")
    ] = False,
) -> None:
    """Play, continue or show a tournament.

    The same command continues an interrupted tournament, without the bots' names if you like, and
    shows a finished one.
    """
    from ladder.scheduling import contest
    from ladder.storage.ladder import Ladder
    from ladder.submission.seeding import check_seeding

    wanted = Wanted(game, seats, seed, reproducible, settings, sandbox, title_of(title))
    draft = TournamentPlan(
        kind,
        (),
        rounds=rounds,
        group_size=group_size,
        advancing=advancing,
        deals=deals or 1,
        sudden_death=sudden_death,
    )
    draft.form()
    if kind is Kind.GAUNTLET and seeding not in (None, Seeding.GIVEN):
        raise SettingsError("a gauntlet takes no --seeding: the first bot named is the challenger")
    home = Home(folder)
    if not home.holds_ladder:
        named = _named(entrants, ladder)
        check_seeding(named, seeding)
        draft.check_field(len(named.each))
        make(folder, wanted, named)
    with Ladder.open(home) as opened:
        check_same(opened, wanted)
        stored = contest.draft_of(opened)
        plan = None if stored else contest.read(opened)
        if plan is None:
            if stored and not entrants:
                if not opened.is_known:
                    raise SettingsError(
                        f"{folder}: it takes its bots from folders that it names, and you have "
                        "neither made nor confirmed it here: name the bots on the command line, or "
                        f"confirm it with `{program()} trust {shlex.quote(str(folder))}`"
                    )
                draft, seeding = _as_stored(opened, stored, draft, deals, seeding)
                named = _named([*stored.words], Path(stored.standing) if stored.standing else None)
            else:
                named = _named(entrants, ladder)
            plan = _begin(opened, draft, named, seeding)
        elif not isinstance(plan, TournamentPlan):
            raise SettingsError(f"{folder}: this folder holds a duel")
        else:
            _check_plan(opened, plan, draft, entrants or [], deals, seeding)
            if entrants:
                begun = _as_named(opened, entrants, plan, ladder)
                check_files(opened, entrants, ladder, begun, "omit the bots to continue")
        if (paused := _pause(opened)) is None and not _now(opened, plan).over:
            again = f"{program()} tournament {kind} {shlex.quote(str(folder))}"
            play(opened, TournamentPlanner(plan, opened.settings.seats), workers, lambda _: again)
        _tell(opened, plan, {"json": json, "csv": csv, "trf": trf}, everything=everything)
        if paused is not None:
            why = f": {paused.why}" if paused.why else ""
            console.print()
            say_plainly(f"Paused by the director since {paused.given_at}{why}")
            say(f"To resume: {command_line('resume', opened.home)}")


def _pause(ladder: "Ladder") -> "Directive | None":
    """Return the directive that pauses the tournament; None if it is not paused."""
    from ladder.storage import directives

    with ladder.database.read() as tx:
        return directives.pause(tx)


def _as_stored(
    ladder: "Ladder",
    stored: "Draft",
    asked: TournamentPlan,
    deals: int | None,
    seeding: Seeding | None,
) -> tuple[TournamentPlan, Seeding | None]:
    """Return the options of a command that was interrupted before it entered all bots."""
    from ladder.scheduling import contest

    before = None if stored.seeding is None else Seeding(stored.seeding)
    plan = contest.plan_of(stored)
    _check_options(ladder, replace(plan, seeding=before or plan.seeding), asked, deals, seeding)
    return plan, before


def _export(
    show: "TournamentSummary", title: str, game: str, files: Mapping[str, Path | None]
) -> None:
    """Write the tournament to the files that were asked for."""
    from ladder.scheduling.tournament.cross_tables import to_csv
    from ladder.scheduling.tournament.trf import to_trf

    if (file := files["json"]) is not None:
        write(file, show.to_json(title, game))
    if (file := files["csv"]) is not None:
        write(file, show.to_csv())
        write(file.with_name(f"{file.stem}-cross{file.suffix}"), to_csv(show.crosses(), show.names))
    if (file := files["trf"]) is not None:
        write(file, to_trf(show, title))


def _named(entrants: list[str] | None, ladder: Path | None) -> "contenders.Entrants":
    """Return the entrants; raise `SettingsError` if there are fewer than two."""
    from ladder.submission import entrants as contenders

    named = contenders.find(entrants or [], ladder)
    if len(named.each) < 2:  # noqa: PLR2004 - a comparison needs two
        remote = ", and remote bots cannot take part" if named.left_out else ""
        raise SettingsError(f"a tournament needs at least two bots{remote}")
    return named


def _begin(
    ladder: "Ladder", draft: TournamentPlan, named: "contenders.Entrants", seeding: Seeding | None
) -> TournamentPlan:
    """Enter the bots, seed them, and store the plan."""
    from ladder.scheduling import contest
    from ladder.submission.seeding import seeded

    draft.check_field(len(named.each))
    contest.prepare(ladder, _draft(draft, named, seeding))
    if named.left_out:
        say(f"Left out, as remote bots play only on standing ladders: {', '.join(named.left_out)}.")
    wanted = Seeding.GIVEN if draft.kind is Kind.GAUNTLET else seeding
    secret = ladder.settings.secret
    how, versions = seeded(named, enter(ladder, named.each), wanted, secret)
    plan = replace(
        draft,
        entrants=tuple(version.id for version in versions),
        seeding=how,
        draw=Stream(secret, "lots").bytes(16).hex(),
    )
    if draft.kind in (Kind.KNOCKOUT, Kind.GROUPS) and draft.sudden_death is None:
        plan = replace(plan, sudden_death=USUAL_DEALS)
    contest.begin(ladder, plan)
    return plan


def _draft(plan: TournamentPlan, named: "contenders.Entrants", seeding: Seeding | None) -> "Draft":
    """Return the options in a form that can be continued from any folder."""
    from ladder.scheduling.contest import Draft

    words = (
        f"{one.bot}@{one.version.number}" if one.version else str(one.folder.resolve())
        for one in named.each
    )
    standing = None if named.home is None else str(named.home.resolve())
    return Draft(tuple(words), standing, seeding, asdict(plan))


def _check_plan(
    ladder: "Ladder",
    plan: TournamentPlan,
    draft: TournamentPlan,
    entrants: list[str],
    deals: int | None,
    seeding: Seeding | None,
) -> None:
    """Raise `SettingsError` if the command contradicts the tournament in this folder."""
    from ladder.storage import bots

    _check_options(ladder, plan, draft, deals, seeding)
    if entrants:
        with ladder.database.read() as tx:
            known = bots.all_versions(tx)
        playing, named = [known[e].bot for e in plan.entrants], _bots(entrants)
        if plan.seeding is not Seeding.GIVEN:
            named, playing = sorted(named), sorted(playing)
        if named != playing:
            raise _begun_with(ladder, "BOT...", ", ".join(playing))


def _check_options(
    ladder: "Ladder",
    plan: TournamentPlan,
    draft: TournamentPlan,
    deals: int | None,
    seeding: Seeding | None,
) -> None:
    """Raise `SettingsError` if the options contradict the tournament in this folder."""
    asked: dict[str, tuple[object, object]] = {
        "FORMAT": (draft.kind, plan.kind),
        "--rounds": (draft.rounds, plan.rounds),
        "--deals": (deals, plan.deals),
        "--group-size": (draft.group_size, plan.group_size),
        "--advancing": (draft.advancing, plan.advancing),
        "--seeding": (seeding, plan.seeding),
        "--sudden-death": (draft.sudden_death, plan.sudden_death),
    }
    for name, (now, begun) in asked.items():
        if now is not None and now != begun:
            raise _begun_with(ladder, name, "left out" if begun is None else str(begun))


def _begun_with(ladder: "Ladder", name: str, value: str) -> SettingsError:
    return SettingsError(
        f"{ladder.home.path}: the tournament in this folder was begun with {name} {value}; "
        "name another folder for another tournament"
    )


def _as_named(
    ladder: "Ladder", words: list[str], plan: TournamentPlan, standing: Path | None
) -> "list[VersionId]":
    """Return the entrants in the order of the command line.

    Among several versions of a bot, first match the words that name specific files.
    """
    from ladder.storage import bots
    from ladder.submission import entrants as contenders

    with ladder.database.read() as tx:
        known = bots.all_versions(tx)
    digests = [contenders.digest_meant(word, standing) for word in words]
    left = list(plan.entrants)
    found: dict[int, VersionId] = {}
    for i in sorted(range(len(words)), key=lambda i: digests[i] is None):
        of_bot = [e for e in left if known[e].bot == contenders.bot_of(words[i])]
        found[i] = next((e for e in of_bot if known[e].digest == digests[i]), of_bot[0])
        left.remove(found[i])
    return [found[i] for i in range(len(words))]


def _bots(entrants: list[str]) -> list[str]:
    """Return the names of the bots on the command line."""
    from ladder.submission import entrants as contenders

    return [contenders.bot_of(word) for word in entrants]


def _now(ladder: "Ladder", plan: TournamentPlan) -> TournamentProgress:
    """Return the tournament's progress."""
    seats = ladder.settings.seats
    with ladder.database.read() as tx:
        return progress_of(plan, seats, stored_rounds(tx), directives_of(tx))


def _tell(
    ladder: "Ladder", plan: TournamentPlan, files: Mapping[str, Path | None], *, everything: bool
) -> None:
    """Print the table, the rounds and the rules, and write the exports."""
    from ladder.cli.tournament_text import print_tournament
    from ladder.scheduling.tournament.summary import summarize
    from ladder.storage import bots

    settings = ladder.settings
    with ladder.database.read() as tx:
        known = bots.all_versions(tx)
        rounds = stored_rounds(tx)
        show = summarize(plan, settings.seats, known, rounds, directives_of(tx))
    title, game = ladder.title, game_named(settings.game).title
    console.print()
    print_tournament(console, show, title, game, everything=everything)
    _export(show, title, settings.game, files)
    tell_more(ladder)
