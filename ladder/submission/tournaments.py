"""Begins a tournament, or continues one as it was begun."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path

from ladder.model import moments
from ladder.model.bots import Version, labels
from ladder.model.directives import ByePoints
from ladder.model.errors import SettingsError
from ladder.model.tournaments import USUAL_DEALS, KeptApart, Kind, Seeding
from ladder.scheduling import contest
from ladder.scheduling.contest import Draft
from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.planner import ELIMINATING, TournamentPlan
from ladder.scheduling.tournament.reconstruction import fixed_rounds
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from ladder.submission import entrants as contenders
from ladder.submission import entry_list
from ladder.submission.contests import check_files, enter
from ladder.submission.entrants import Entrant, Entrants, ratings_of
from ladder.submission.entry_list import EntryList
from referee.games.randomness import Stream

Say = Callable[[str], None]
_BRINGS_ALL_TOGETHER = (Kind.ROUND_ROBIN, Kind.KNOCKOUT, Kind.DOUBLE_ELIMINATION)
"""The formats in which any two bots may have to meet."""


@dataclass(frozen=True, slots=True)
class TournamentRequest:
    """A command's options of a tournament; None takes the value with which it began."""

    draft: TournamentPlan
    """The options, without entrants."""
    deals: int | None
    seeding: Seeding | None
    words: Sequence[str]
    """The bots as named; none to continue, or for all of the standing ladder."""
    standing: Path | None
    """The folder of the standing ladder; None: the nearest one."""
    start: str | None = None
    """When the first round may begin, as it was typed: 18:30 is another day's each day."""
    listed: EntryList | None = None
    """The entry list that names the bots, if any."""
    forbidden: Sequence[tuple[str, str]] = ()
    """The pairs of bots, by name, that may not meet; none to continue."""
    game: str | None = None
    """The game whose sample bots may be named; None: the standing ladder's."""

    def with_list(self, file: Path) -> "TournamentRequest":
        """Return the same with the bots, and perhaps the seeds, of an entry list.

        Raise `FaultyListError` for its faults, `SettingsError` if the command contradicts it.
        """
        if self.words:
            raise SettingsError("name the bots on the command line or in --entries, not in both")
        listed = entry_list.read(file, self.standing, self.game)
        if not listed.seeds:
            return replace(self, words=listed.words, listed=listed)
        if self.seeding not in (None, Seeding.GIVEN):
            raise SettingsError(
                f"{file} gives seeds: omit --seeding {self.seeding}, or remove that column"
            )
        return replace(self, words=listed.words, listed=listed, seeding=Seeding.GIVEN)

    def check(self) -> None:
        """Raise `SettingsError` for options that contradict each other."""
        self.draft.form()
        if self.draft.kind is Kind.GAUNTLET and self.seeding not in (None, Seeding.GIVEN):
            raise SettingsError(
                "a gauntlet takes no --seeding: the first bot named is the challenger"
            )
        if self.forbidden and self.draft.kind in _BRINGS_ALL_TOGETHER:
            raise SettingsError(
                f"--forbid: in a {self.draft.kind} any two bots may have to meet; a swiss never "
                "pairs them, and groups keeps them apart until the knockout"
            )

    def named(self) -> Entrants:
        """Return the entrants of a tournament that has not begun; raise `SettingsError`."""
        found = self.found()
        pairs_of(found, self.forbidden)
        check_seeding(found, self.seeding)
        self.draft.check_field(len(found.each))
        return found

    def found(self) -> Entrants:
        """Return the entrants; raise `SettingsError` if there are fewer than two."""
        if self.listed:
            return _enough(self.listed.entrants)
        return _enough(contenders.find(self.words, self.standing, self.game))


def begun(ladder: Ladder, asked: TournamentRequest, say: Say) -> TournamentPlan:
    """Return the plan of the ladder's tournament; begin it if it has not begun.

    Raise `SettingsError` if the command contradicts it, `LadderError` if a bot cannot take part.
    """
    stored = contest.draft_of(ladder)
    plan = None if stored else contest.read(ladder)
    if plan is None:
        if stored and not asked.words:
            return _begin_stored(ladder, stored, asked, say)
        return _begin(ladder, asked.draft, asked.found(), asked.seeding, say, asked.forbidden)
    if not isinstance(plan, TournamentPlan):
        raise SettingsError(f"{ladder.home.path}: this folder holds a duel")
    _check_plan(ladder, plan, asked)
    if asked.listed:
        _check_people(ladder, plan, asked.listed.entrants.each)
    if asked.words:
        versions = _as_named(ladder, asked.words, plan, asked.standing)
        to_go_on = "omit the bots to continue"
        check_files(ladder, asked.words, asked.standing, versions, to_go_on)
    return plan


def _begin_stored(
    ladder: Ladder, stored: Draft, asked: TournamentRequest, say: Say
) -> TournamentPlan:
    """Begin as a command asked that was interrupted before it entered all bots."""
    if not ladder.is_known:
        folder = ladder.home.path
        raise SettingsError(
            f"{folder}: it takes its bots from folders that it names, and you have neither made "
            "nor confirmed it here: name the bots on the command line, or confirm it with "
            f"`ladder trust {shlex.quote(str(folder))}`"
        )
    seeding = None if stored.seeding is None else Seeding(stored.seeding)
    draft = contest.plan_of(stored)
    _check_options(ladder, replace(draft, seeding=seeding or draft.seeding), asked)
    standing = Path(stored.standing) if stored.standing else None
    named = _enough(contenders.find(stored.words, standing))
    named = contenders.of_people(named, draft.authors, draft.teams)
    _check_forbidden(ladder, {frozenset(pair) for pair in stored.forbidden}, asked.forbidden)
    return _begin(ladder, draft, named, seeding, say, stored.forbidden)


def _begin(
    ladder: Ladder,
    draft: TournamentPlan,
    named: Entrants,
    seeding: Seeding | None,
    say: Say,
    forbidden: Sequence[tuple[str, str]],
) -> TournamentPlan:
    """Enter the bots, seed them, and store the plan."""
    draft.check_field(len(named.each))
    pairs = pairs_of(named, forbidden)
    contest.prepare(ladder, _draft(draft, named, seeding, forbidden))
    if named.left_out:
        say(f"Left out, as remote bots play only on standing ladders: {', '.join(named.left_out)}.")
    wanted = Seeding.GIVEN if draft.kind is Kind.GAUNTLET else seeding
    secret = ladder.settings.secret
    entered = enter(ladder, named.each, say)
    how, versions = seeded(named, entered, wanted, secret)
    of = {version.id: one for version, one in zip(entered, named.each, strict=True)}
    plan = replace(
        _of_people(draft, [of[version.id] for version in versions]),
        entrants=tuple(version.id for version in versions),
        seeding=how,
        draw=Stream(secret, "lots").bytes(16).hex(),
        apart=draft.apart or KeptApart.AUTHOR,
        forbidden=tuple((entered[i].id, entered[j].id) for i, j in pairs),
    )
    _check_held(plan, ladder.settings.seats, labels({v.id: v for v in versions}))
    if draft.kind is Kind.SWISS:
        late_bye = draft.late_bye or ByePoints.ZERO
        plan = replace(plan, late_bye=late_bye, half_byes=draft.most_half_byes)
    if draft.kind in ELIMINATING and draft.sudden_death is None:
        plan = replace(plan, sudden_death=USUAL_DEALS)
    contest.begin(ladder, plan)
    return plan


def pairs_of(named: Entrants, forbidden: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """Return the indices of the bots of forbidden pairs, each once.

    Raise `SettingsError` for other names.
    """

    def index(name: str) -> int:
        found = [i for i, one in enumerate(named.each) if name in _names(one)]
        if len(found) == 1:
            return found[0]
        known = ", ".join(_names(one)[-1] for one in named.each)
        what = "is not a bot" if not found else f"names {len(found)} bots"
        raise SettingsError(f"--forbid: {name!r} {what} of this tournament: {known}")

    pairs = [(index(one), index(other)) for one, other in forbidden]
    for (i, j), (one, _) in zip(pairs, forbidden, strict=True):
        if i == j:
            raise SettingsError(f"--forbid: {one} never meets itself: name two bots")
    return [*{frozenset(pair): pair for pair in pairs}.values()]


def _names(entrant: Entrant) -> list[str]:
    """Return the names of an entrant, the most exact one last."""
    version = entrant.version
    return [entrant.bot, *([f"{entrant.bot}@{version.number}"] if version else [])]


def _check_held(plan: TournamentPlan, seats: int, names: Mapping[VersionId, str]) -> None:
    """Raise `SettingsError` if a forbidden pair would meet by the seeds alone."""
    if plan.kind is Kind.SWISS or not plan.forbidden:
        return
    for number, meetings in fixed_rounds(plan, seats).items():
        tables = [meeting.entrants for meeting in meetings]
        for one, other in plan.pairs_apart().forbidden_at(tables):
            raise SettingsError(
                f"--forbid: {names[one]} and {names[other]} cannot be kept apart: they meet in "
                f"round {number + 1} of this {plan.kind}; forbid fewer pairs, or play a swiss"
            )


def _draft(
    plan: TournamentPlan,
    named: Entrants,
    seeding: Seeding | None,
    forbidden: Sequence[tuple[str, str]],
) -> Draft:
    """Return the options in a form that can be continued from any folder."""
    words = (
        f"{one.bot}@{one.version.number}" if one.version else str(one.folder.resolve())
        for one in named.each
    )
    standing = None if named.home is None else str(named.home.resolve())
    of_people = asdict(_of_people(plan, named.each))
    return Draft(tuple(words), standing, seeding, of_people, forbidden)


def _of_people(plan: TournamentPlan, each: Sequence[Entrant]) -> TournamentPlan:
    """Return a plan with the authors and teams of entrants in this order."""
    authors, teams = [one.author for one in each], [one.team for one in each]
    return replace(
        plan,
        authors=tuple(authors) if any(authors) else (),
        teams=tuple(teams) if any(teams) else (),
    )


def _enough(named: Entrants) -> Entrants:
    """Return the entrants; raise `SettingsError` if there are fewer than two."""
    if len(named.each) < 2:  # noqa: PLR2004 - a comparison needs two
        remote = ", and remote bots cannot take part" if named.left_out else ""
        raise SettingsError(f"a tournament needs at least two bots{remote}")
    return named


def _check_people(ladder: Ladder, plan: TournamentPlan, each: Sequence[Entrant]) -> None:
    """Raise `SettingsError` if an entry list names other authors or teams than the plan."""
    with ladder.database.read() as tx:
        known = bots.all_versions(tx)
    begun = sorted((known[e].bot, plan.author(e), plan.team(e)) for e in plan.entrants)
    now = sorted((one.bot, one.author, one.team) for one in each)
    for (bot, *before), (_, *after) in zip(begun, now, strict=True):
        if before != after:
            author = ", ".join(filter(None, before)) or "an unknown author"
            raise _begun_with(ladder, "--entries", f"in which {bot} is by {author}")


def _check_plan(ladder: Ladder, plan: TournamentPlan, asked: TournamentRequest) -> None:
    """Raise `SettingsError` if the command contradicts the tournament in this folder."""
    _check_options(ladder, plan, asked)
    with ladder.database.read() as tx:
        known = bots.all_versions(tx)
    label_of = labels({entrant: known[entrant] for entrant in plan.entrants})
    begun = {frozenset(label_of[e] for e in pair) for pair in plan.forbidden}

    def label(name: str) -> str:
        """Return the label here of a version of the standing ladder, which counts otherwise."""
        if "@" not in name:
            return name
        digest = contenders.digest_meant(name, asked.standing)
        return next((label_of[e] for e in plan.entrants if known[e].digest == digest), name)

    pairs = [(label(one), label(other)) for one, other in asked.forbidden]
    _check_forbidden(ladder, begun, pairs)
    if asked.words:
        playing = [known[e].bot for e in plan.entrants]
        named = [contenders.bot_of(word) for word in asked.words]
        if plan.seeding is not Seeding.GIVEN:
            named, playing = sorted(named), sorted(playing)
        if named != playing:
            raise _begun_with(ladder, "BOT...", ", ".join(playing))


def _check_options(ladder: Ladder, plan: TournamentPlan, asked: TournamentRequest) -> None:
    """Raise `SettingsError` if the options contradict the tournament in this folder."""
    draft = asked.draft
    options: dict[str, tuple[object, object]] = {
        "FORMAT": (draft.kind, plan.kind),
        "--rounds": (draft.rounds, plan.rounds),
        "--deals": (asked.deals, plan.deals),
        "--group-size": (draft.group_size, plan.group_size),
        "--advancing": (draft.advancing, plan.advancing),
        "--seeding": (asked.seeding, plan.seeding),
        "--late-bye": (draft.late_bye, plan.late_bye),
        "--half-byes": (draft.half_byes, plan.half_byes),
        "--sudden-death": (draft.sudden_death, plan.sudden_death),
        "--apart": (draft.apart, plan.apart),
        "--start": (_start(asked.start, plan), plan.start),
        "--every": (_every(draft), _every(plan)),
    }
    for name, (now, begun) in options.items():
        if now is not None and now != begun:
            raise _begun_with(ladder, name, "left out" if begun is None else str(begun))


def _check_forbidden(
    ladder: Ladder, begun: set[frozenset[str]], asked: Sequence[tuple[str, str]]
) -> None:
    """Raise `SettingsError` if the command forbids other pairs than the tournament began with."""
    if asked and {frozenset(pair) for pair in asked} != begun:
        pairs = ", ".join(sorted(" and ".join(sorted(pair)) for pair in begun)) or "no pair"
        raise _begun_with(ladder, "--forbid", pairs)


def _start(text: str | None, plan: TournamentPlan) -> str | None:
    """Return when the first round may begin by what was typed now, if it was so when it began."""
    if text is None:
        return None
    begun = moments.now() if plan.start is None else datetime.fromisoformat(plan.start)
    return moments.moment_of(text, begun).isoformat()


def _every(plan: TournamentPlan) -> str | None:
    return None if plan.every_s is None else moments.duration(plan.every_s)


def _begun_with(ladder: Ladder, name: str, value: str) -> SettingsError:
    return SettingsError(
        f"{ladder.home.path}: the tournament in this folder was begun with {name} {value}; "
        "name another folder for another tournament"
    )


def _as_named(
    ladder: Ladder, words: Sequence[str], plan: TournamentPlan, standing: Path | None
) -> list[VersionId]:
    """Return the entrants in the order of the command line.

    Among several versions of a bot, first match the words that name specific files.
    """
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
