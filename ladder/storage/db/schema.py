"""The tables. Matches are the truth; `strengths` is a cache that can be made again from them.

A change here needs a new revision under `migrations/versions`, and `REVISION` is its name. It adds
columns and moves rows; types and constraints follow what stands here.

Times are UTC in ISO 8601; JSON is text.
"""

from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Identity,
    Index,
    MetaData,
    Table,
    TextClause,
    UniqueConstraint,
    false,
    text,
    true,
)

from ladder.model.directives import DirectiveKind
from ladder.model.ids import ID_DIGITS
from ladder.model.incidents import STORED
from ladder.model.matches import MatchState
from ladder.model.settings import (
    AUTHOR_DISK_MIB,
    LONGEST_AUTHOR,
    LONGEST_DESCRIPTION,
    LONGEST_STEP_MS,
    LONGEST_TITLE,
    MOST_DISK_MIB,
    RETIRED_SCHEDULERS,
    Aim,
    BuildNetwork,
    Deals,
    RatedBy,
    SameAuthor,
    Scheduling,
)
from ladder.model.spars import MATCHES_A_DAY, MOST_MATCHES
from ladder.storage.db.columns import (
    AnyText,
    Bytes,
    Form,
    Number,
    Packed,
    TrueOrFalse,
    constrain,
    hexadecimal,
    json_of,
    named,
    short_text,
    timestamp,
)
from referee.core.faults import FaultKind
from referee.games.registry import LONGEST_NAME, is_game_name
from referee.hosting.manifest import NAME, TRANSPORTS
from referee.sandbox.program import Level

REVISION = "0027"
"""The newest revision: what this program reads and writes."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _index(name: str, *columns: Column[Any], where: str, unique: bool = False) -> None:
    """Add an index of some rows to a table."""
    Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))


def _result() -> tuple[Column[Any] | CheckConstraint, ...]:
    """Return the result of a seat: none before the match has been played."""
    return (
        Column("rank", Number(1)),
        Column("points", Number()),
        Column("forfeit", named(kind.name for kind in FaultKind)),  # the name of a fault, or none
        CheckConstraint(
            "(rank is null) = (points is null)",
            name="result",
            info={"problem": "it has a rank and no points, or the other way round"},
        ),
    )


def _next(table: str) -> TextClause:
    """Return the default of a table's `id`: 1, 2, 3 and so on; there is only one writer."""
    return text(f"(select coalesce(max(id), 0) + 1 from {table})")  # noqa: S608 -- our own name


# The choices with which the ladder was made. One row.
ladder = Table(
    "ladder",
    metadata,
    Column("id", Number(1, 1), primary_key=True, autoincrement=False),
    Column("ladder_id", hexadecimal(ID_DIGITS), nullable=False),
    Column(
        "game",
        Form("the name of a game", is_game_name, f"length({{0}}) <= {LONGEST_NAME}"),
        nullable=False,
    ),
    Column("seats", Number(1), nullable=False),
    Column("config", json_of("object"), nullable=False),  # the fields that differ from the defaults
    Column("startup_ms", Number(0), nullable=False),
    Column("decision_limit_ms", Number(0), nullable=False),
    Column("bank_ms", Number(0), nullable=False),
    Column("increment_ms", Number(0), nullable=False),
    Column("secret", AnyText(), nullable=False),  # never shown
    Column("created_at", timestamp(), nullable=False),
    Column("sandbox", named(Level)),  # a level; null: the best that the machine offers
    Column("build_network", named(BuildNetwork), nullable=False),  # whose builds may use it
    # How it is chosen what is played, by the names of ladder.model.settings.
    Column(
        "scheduler",
        named((*Scheduling, *RETIRED_SCHEDULERS)),
        nullable=False,
        server_default=text("'balanced'"),
    ),
    Column("aim", named(Aim), nullable=False, server_default=text("'ranking'")),
    Column("deals", named(Deals), nullable=False, server_default=text("'independent'")),
    Column("same_author", named(SameAuthor), nullable=False, server_default=text("'apart'")),
    Column("rated_by", named(RatedBy), nullable=False, server_default=text("'points'")),
    Column("contest", json_of("object")),  # what is played instead of rounds without end; or null
    Column(
        "title", short_text(LONGEST_TITLE)
    ),  # what people call it; null: as its folder and its game are called
    # How much of the disk the bots of each author may take.
    Column(
        "author_disk_mib",
        Number(1, MOST_DISK_MIB),
        nullable=False,
        server_default=text(f"{AUTHOR_DISK_MIB}"),
    ),
    # At multiples of which time requests leave; 0: at once.
    Column("request_step_ms", Number(0, LONGEST_STEP_MS), nullable=False, server_default=text("0")),
    # Between which times authors may submit; null: without a limit.
    Column("opens_at", timestamp()),
    Column("closes_at", timestamp()),
    # How many unrated matches each author may ask for in a day; 0: none.
    Column(
        "spar_matches_a_day",
        Number(0, MOST_MATCHES),
        nullable=False,
        server_default=text(f"{MATCHES_A_DAY}"),
    ),
    # Drawn anew when stored results change: what is kept in `strengths` is of one generation.
    Column("generation", Number(0), nullable=False, server_default=text("0")),
)

# The named entrants.
bots = Table(
    "bots",
    metadata,
    Column("id", Number(1), primary_key=True, default=_next("bots")),
    Column(
        "name",
        Form("the name of a bot", NAME.fullmatch, "length({0}) between 1 and 32"),
        nullable=False,
        unique=True,
    ),
    Column(
        "author", short_text(LONGEST_AUTHOR)
    ),  # who may submit versions of it; null: the ladder's owner alone
    Column(
        "description", short_text(LONGEST_DESCRIPTION)
    ),  # its author's words about it; null: those of its manifest
    # Whether other authors may spar with it.
    Column("open_to_spars", TrueOrFalse(), nullable=False, server_default=true()),
)

# The credentials of authors. The token itself is stored nowhere.
tokens = Table(
    "tokens",
    metadata,
    Column("id", Number(1), Identity(), primary_key=True),
    Column("author", short_text(LONGEST_AUTHOR), nullable=False),
    Column("digest", Bytes((0, 32)), nullable=False),  # SHA-256 of the token
    Column("created_at", timestamp(), nullable=False),
    Column("expires_at", timestamp()),  # null: never
    Column("revoked_at", timestamp()),  # null: not revoked
    sqlite_autoincrement=True,  # a number that was given once names no other token later
)

# The uploads of each bot. A bot without an active version is retired.
versions = Table(
    "versions",
    metadata,
    Column("id", Number(1), primary_key=True, default=_next("versions")),
    Column("bot_id", ForeignKey("bots.id"), nullable=False),
    Column("number", Number(1), nullable=False),  # from 1 within the bot
    Column("digest", hexadecimal(64), nullable=False),  # not unique: files may return
    Column("command", json_of("texts"), nullable=False),
    Column("active", TrueOrFalse(), nullable=False),
    Column("submitted_at", timestamp(), nullable=False),
    Column("transport", named(TRANSPORTS), nullable=False, server_default=text("'grpc'")),
    Column("build", json_of("lists"), nullable=False, server_default=text("'[]'")),
    Column("rejected", AnyText()),  # why it may not play; null: it may
    # Whether it thinks so long that the plans of others do not wait for its matches.
    Column("slow", TrueOrFalse(), nullable=False, server_default=false()),
    UniqueConstraint("bot_id", "number"),
)
_index("uq_versions_active", versions.c.bot_id, unique=True, where="active")

# The outcome of building and validating a version, when last tried. Texts are packed
# by ladder.storage.tables.outputs, the record by ladder.storage.tables.records.
trials = Table(
    "trials",
    metadata,
    Column("version_id", ForeignKey("versions.id"), primary_key=True),
    Column("tried_at", timestamp(), nullable=False),
    Column("build_log", Packed()),  # null: nothing to build
    Column("record", Packed()),  # null: no validation match
    Column("printed", Packed(), nullable=False),  # in the validation match
)

# Every match that was ever scheduled, in its place in the order of play: round, position.
matches = Table(
    "matches",
    metadata,
    Column("id", hexadecimal(), primary_key=True),  # from ladder.model.ids
    Column("round", Number(1), nullable=False),  # from 1
    Column("position", Number(0), nullable=False),  # in the round, from 0
    Column("state", named(MatchState), nullable=False),
    Column("attempts", Number(0), nullable=False, server_default=text("0")),  # that were void
    Column("reason", AnyText()),  # why the last attempt was void, or why it is dropped
    Column("decisions", Number(0)),
    Column("finished_at", timestamp()),
    # Names what it is played with: the matches of one deal, neighbours in a round, are a block.
    Column("deal", AnyText(), nullable=False, server_default=text("''"), index=True),
    # Whether one that is void is played when the ladder is run again.
    Column("postponed", TrueOrFalse(), nullable=False, server_default=false()),
    # The rules that played it, as in its record; null before, and where that was unreadable.
    Column("rules_version", AnyText()),
    UniqueConstraint("round", "position"),
    CheckConstraint(
        "state not in ('done', 'dropped') or finished_at is not null and decisions is not null",
        name="ended",
        info={"problem": "it is done, but has no time or no decisions"},
    ),
)
_index("ix_matches_dropped", matches.c.id, where="state = 'dropped'")
_index(
    "ix_matches_rules",
    matches.c.state,
    matches.c.rules_version,
    where="rules_version is not null",
)
_index("ix_matches_postponed", matches.c.state, where="postponed")
_index("ix_matches_open", matches.c.state, where="state in ('planned', 'running')")

# The seats with their results. No version: the stand-in. No rank: not played yet.
seats = Table(
    "seats",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("seat", Number(0), primary_key=True),
    Column("version_id", ForeignKey("versions.id"), index=True),
    *_result(),
)

# The end of the bots' output in their matches, for their authors; of each version only the
# last ones are kept, and those that it forfeited. Packed by ladder.storage.tables.outputs.
outputs = Table(
    "outputs",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("seat", Number(0), primary_key=True),
    Column("version_id", ForeignKey("versions.id"), nullable=False, index=True),
    Column("body", Packed(), nullable=False),
)

# The decisions of a tournament's director, in that order.
directives = Table(
    "directives",
    metadata,
    Column("id", Number(1), primary_key=True, default=_next("directives")),
    Column("kind", named(DirectiveKind), nullable=False),
    Column("version_id", ForeignKey("versions.id")),  # the bot that it is about, if any
    Column("match_id", ForeignKey("matches.id")),  # the match that it is about, if any
    Column("after_round", Number(0), nullable=False),  # the last round that was planned by then
    Column("why", AnyText()),  # null: no reason was given
    Column("given_at", timestamp(), nullable=False),
    Column("round", Number(1)),  # the round of the tournament that a bye or a start is for
    Column("starts_at", timestamp()),  # when that round may begin
    Column("other_id", ForeignKey("versions.id")),  # the other bot, if it is about two
)

# When the rounds of a tournament with a timer began.
begun_rounds = Table(
    "begun_rounds",
    metadata,
    Column("number", Number(1), primary_key=True, autoincrement=False),  # from 1
    Column("begun_at", timestamp(), nullable=False),
)

# Events out of the ordinary in matches; most matches have no row.
incidents = Table(
    "incidents",
    metadata,
    Column("id", Number(1), primary_key=True, default=_next("incidents")),
    Column("match_id", ForeignKey("matches.id"), nullable=False, index=True),
    Column("kind", named(STORED), nullable=False),
    Column("why", AnyText(), nullable=False),
    Column("happened_at", timestamp(), nullable=False),
)

# The record of each match that is done, packed by ladder.storage.tables.records.
records = Table(
    "records",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("body", Bytes(), nullable=False),
)

# The rating of record as ladder.results.strengths last worked it out; at most one row. It is worked
# out again when the digest is of other results.
strengths = Table(
    "strengths",
    metadata,
    Column("id", Number(1, 1), primary_key=True, autoincrement=False),
    Column("digest", Bytes(), nullable=False),  # SHA-256 of what it follows from, and the body
    Column("body", Bytes(), nullable=False),
)

# The unrated matches that authors have asked for.
spars = Table(
    "spars",
    metadata,
    Column("id", Number(1), primary_key=True, default=_next("spars")),
    Column("author", short_text(LONGEST_AUTHOR), index=True),  # null: the ladder's owner
    Column("version_id", ForeignKey("versions.id"), nullable=False),  # of the author's own bot
    Column("asked_at", timestamp(), nullable=False),
    # In the link by which anyone may see the results; null: they are private.
    Column("shared_as", hexadecimal(ID_DIGITS), unique=True),
)

# Their matches, apart from `matches`: these neither count anywhere nor are they shown to others.
spar_matches = Table(
    "spar_matches",
    metadata,
    Column("id", hexadecimal(ID_DIGITS), primary_key=True),
    Column("spar_id", ForeignKey("spars.id"), nullable=False),
    Column("position", Number(0), nullable=False),  # in the spar, from 0
    Column("state", named(MatchState), nullable=False),  # planned, done or void
    Column("attempts", Number(0), nullable=False, server_default=text("0")),  # that were void
    Column("reason", AnyText()),  # why the last attempt was void
    Column("decisions", Number(0)),
    Column("finished_at", timestamp()),
    Column("record", Bytes()),  # packed by ladder.storage.tables.records
    Column("printed", Packed()),  # the end of what the author's own bot printed
    UniqueConstraint("spar_id", "position"),
    CheckConstraint(
        "state <> 'done' or finished_at is not null and decisions is not null "
        "and record is not null",
        name="ended",
        info={"problem": "it is done, but has no time, no decisions or no record"},
    ),
)
_index("ix_spar_matches_open", spar_matches.c.state, where="state = 'planned'")

# Their seats with their results. No rank: not played.
spar_seats = Table(
    "spar_seats",
    metadata,
    Column("match_id", ForeignKey("spar_matches.id"), primary_key=True),
    Column("seat", Number(0), primary_key=True),
    Column("version_id", ForeignKey("versions.id"), nullable=False),
    *_result(),
)

constrain(metadata)
