"""The tables. Matches are the truth; ratings are a cache that can be rebuilt from them.

A change here needs a new revision under `migrations/versions`, written by hand, and `REVISION` is
its name; a test compares what the revisions make with what stands here.

Times are UTC in ISO 8601; JSON is text.
"""

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    text,
)

REVISION = "0006"
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

# What the ladder was made with. One row.
ladder = Table(
    "ladder",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("ladder_id", String, nullable=False),
    Column("game", String, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("config", String, nullable=False),  # JSON: the fields that differ from the defaults
    Column("startup_ms", Integer, nullable=False),
    Column("decision_limit_ms", Integer, nullable=False),
    Column("bank_ms", Integer, nullable=False),
    Column("increment_ms", Integer, nullable=False),
    Column("secret", String, nullable=False),  # never shown
    Column("created_at", String, nullable=False),
    Column("sandbox", String),  # a level; null: the best that the machine offers
    Column("build_network", Boolean, nullable=False, server_default=text("0")),
    # How it is chosen what is played, by the names of ladder.settings.
    Column("scheduler", String, nullable=False, server_default=text("'balanced'")),
    Column("aim", String, nullable=False, server_default=text("'ranking'")),
    Column("deals", String, nullable=False, server_default=text("'independent'")),
    Column("contest", String),  # JSON: what is played instead of rounds without end; or null
    # What the live rating takes the game to be, as ladder.settings.Tuning says; null: the usual.
    Column("beta", Float),
    Column("draw_probability", Float),
    CheckConstraint("id = 1", name="only_one"),
)

# The named entrants.
bots = Table(
    "bots",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("author", String),  # who may submit versions of it; null: the ladder's owner alone
)

# What authors show to be let in. The token itself is stored nowhere.
tokens = Table(
    "tokens",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("author", String, nullable=False),
    Column("digest", LargeBinary, nullable=False),  # SHA-256 of the token
    Column("created_at", String, nullable=False),
    Column("expires_at", String),  # null: never
    Column("revoked_at", String),  # null: not revoked
    sqlite_autoincrement=True,  # a number that was given once names no other token later
)

# The uploads of each bot. A bot without an active version is retired.
versions = Table(
    "versions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("bot_id", ForeignKey("bots.id"), nullable=False),
    Column("number", Integer, nullable=False),  # from 1 within the bot
    Column("digest", String, nullable=False, unique=True),
    Column("command", String, nullable=False),  # JSON: a list of texts
    Column("active", Boolean, nullable=False),
    Column("submitted_at", String, nullable=False),
    Column("transport", String, nullable=False, server_default=text("'grpc'")),
    Column("build", String, nullable=False, server_default=text("'[]'")),  # JSON: lists of texts
    Column("rejected", String),  # why it may not play; null: it may
    UniqueConstraint("bot_id", "number"),
)
Index("uq_versions_active", versions.c.bot_id, unique=True, sqlite_where=text("active"))

# What came of building and validating a version, the last time that it was tried. Texts are packed
# by ladder.store.texts, the record by ladder.records.
trials = Table(
    "trials",
    metadata,
    Column("version_id", ForeignKey("versions.id"), primary_key=True),
    Column("tried_at", String, nullable=False),
    Column("build_log", LargeBinary),  # null: nothing to build
    Column("record", LargeBinary),  # null: no validation match
    Column("printed", LargeBinary, nullable=False),  # in the validation match
)

# Every match that was ever scheduled, in its place in the order of play: round, position.
matches = Table(
    "matches",
    metadata,
    Column("id", String, primary_key=True),  # hex, from ladder.identity
    Column("round", Integer, nullable=False),  # from 1
    Column("position", Integer, nullable=False),  # in the round, from 0
    Column("state", String, nullable=False),
    Column("attempts", Integer, nullable=False, server_default=text("0")),  # that were void
    Column("reason", String),  # why the last attempt was void
    Column("decisions", Integer),
    Column("finished_at", String),
    # Whether the ratings have taken notice of it. The noted matches are always the first ones.
    Column("rated", Boolean, nullable=False, server_default=text("0")),
    # Names what it is played with: the matches of one deal, neighbours in a round, are a block.
    Column("deal", String, nullable=False, server_default=text("''"), index=True),
    UniqueConstraint("round", "position"),
    CheckConstraint("state in ('planned', 'running', 'done', 'void')", name="known_state"),
)
Index("ix_matches_unrated", matches.c.round, matches.c.position, sqlite_where=text("not rated"))
Index("ix_matches_open", matches.c.state, sqlite_where=text("state in ('planned', 'running')"))

# Who sat where, and how they came out. No version: the stand-in. No rank: not played yet.
seats = Table(
    "seats",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("version_id", ForeignKey("versions.id"), index=True),
    Column("rank", Integer),
    Column("points", Integer),
    Column("forfeit", String),  # the name of a fault, or none
)

# What the bots printed in their matches, the end of it, for their authors; of each version only the
# last ones are kept, and those that it forfeited. Packed by ladder.store.texts.
outputs = Table(
    "outputs",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("version_id", ForeignKey("versions.id"), nullable=False, index=True),
    Column("body", LargeBinary, nullable=False),
)

# The record of each match that is done, packed by ladder.records.
records = Table(
    "records",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("body", LargeBinary, nullable=False),
)

# The rating of record as it was last worked out, by ladder.strengths; at most one row. It can be
# worked out again from the matches, and is when the digest says that it is of other results.
strengths = Table(
    "strengths",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("digest", LargeBinary, nullable=False),  # SHA-256 of what it follows from, and the body
    Column("body", LargeBinary, nullable=False),
    CheckConstraint("id = 1", name="only_one"),
)

# Where the fold over the rated matches stands. A version without a row has the initial rating.
ratings = Table(
    "ratings",
    metadata,
    Column("version_id", ForeignKey("versions.id"), primary_key=True),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
)
