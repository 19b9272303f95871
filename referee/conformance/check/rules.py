"""The rules that a check tests, named as in docs/protocol.md, and which one each fault breaks."""

from collections.abc import Mapping
from enum import StrEnum

from referee.core.faults import Fault, FaultKind


class Rule(StrEnum):
    """The name of a rule of the protocol."""

    BUILD = "build"
    START = "start"
    HELLO_FIRST = "hello.first"
    HELLO_VERSION = "hello.version"
    HELLO_TOKEN = "hello.token"  # noqa: S105 -- a name
    HELLO_LIMITS = "hello.limits"
    QUIET = "quiet"
    STREAM_KEPT = "stream.kept"
    ANSWER_TIME = "answer.time"
    ANSWER_READABLE = "answer.readable"
    ANSWER_DECISION = "answer.decision"
    ANSWER_ONCE = "answer.once"
    ANSWER_MATCH = "answer.match"
    ANSWER_NUMBER = "answer.number"
    ANSWER_GAME = "answer.game"
    ANSWER_LEGAL = "answer.legal"
    GAMES_ALL = "games.all"
    MATCH_NEXT = "match.next"
    MATCH_SAME = "match.same"
    MATCH_VOID = "match.void"
    MATCH_FAULT = "match.fault"
    REQUEST_UNKNOWN = "request.unknown"
    REQUEST_UNKNOWN_BODY = "request.unknown-body"
    REQUEST_LARGE = "request.large"
    REQUEST_ENOUGH = "request.enough"
    PROCESS_STOPPED = "process.stopped"
    PROCESS_ANOTHER = "process.another"
    PROCESS_EXIT = "process.exit"


DEMANDS: Mapping[Rule, str] = {
    Rule.BUILD: "Every step of `build` in `bot.toml` MUST end with status 0.",
    Rule.START: "The command MUST start, and the bot MUST say `Hello` within `startup_ms`.",
    Rule.HELLO_FIRST: "The first message MUST be a `BotMessage` with `Hello`.",
    Rule.HELLO_VERSION: "`Hello` MUST name protocol version 1.",
    Rule.HELLO_TOKEN: (
        "`Hello` MUST bear the token that this process was handed, where the carrier has one, "
        "and the bot MUST use it for one stream only."
    ),
    Rule.HELLO_LIMITS: "Name, token and `max_matches` of `Hello` MUST be within their limits.",
    Rule.QUIET: (
        "A bot MUST send nothing but `Hello` and the answers to requests; "
        "`Welcome`, `Fault` and `MatchEnd` are not answered."
    ),
    Rule.STREAM_KEPT: (
        "A bot MUST keep its process and its stream until the referee ends the stream."
    ),
    Rule.ANSWER_TIME: "A request MUST be answered within its `time_ms`, however little that is.",
    Rule.ANSWER_READABLE: (
        "An answer MUST be a `BotMessage` that can be parsed, of at most 65,536 bytes."
    ),
    Rule.ANSWER_DECISION: "An answer MUST hold a `Decision`.",
    Rule.ANSWER_ONCE: "A request MUST be answered once.",
    Rule.ANSWER_MATCH: (
        "An answer MUST bear the `match_id` of its request, up to 64 characters as they are."
    ),
    Rule.ANSWER_NUMBER: "An answer MUST bear the `number` of its request.",
    Rule.ANSWER_GAME: "The action MUST be one of the match's game.",
    Rule.ANSWER_LEGAL: "The action MUST be legal.",
    Rule.GAMES_ALL: (
        "A bot MUST play every game of its `bot.toml` with every number of seats, on any seat."
    ),
    Rule.MATCH_NEXT: (
        "After one match the next MUST be played on the same stream, "
        "whatever its game and number of seats."
    ),
    Rule.MATCH_SAME: (
        "A deal that comes again under another `match_id` MUST be played like any other."
    ),
    Rule.MATCH_VOID: (
        "A request with `start` MUST begin a match anew, after one that stopped without "
        "`MatchEnd` and also under the same `match_id`."
    ),
    Rule.MATCH_FAULT: (
        "After a `Fault` of kind `ILLEGAL_ACTION`, the `MatchEnd` and the next match "
        "MUST be taken on the same stream."
    ),
    Rule.REQUEST_UNKNOWN: "Fields that the bot does not know MUST be ignored, wherever they are.",
    Rule.REQUEST_UNKNOWN_BODY: (
        "A message whose body the bot does not know MUST be ignored and not answered."
    ),
    Rule.REQUEST_LARGE: "A request of 1,048,576 bytes MUST be taken.",
    Rule.REQUEST_ENOUGH: (
        "A request SHOULD be enough to decide: it is answered also without its events."
    ),
    Rule.PROCESS_STOPPED: (
        "A bot that was stopped for a while between its turns MUST go on as if nothing had been."
    ),
    Rule.PROCESS_ANOTHER: (
        "A second process of the bot MUST start and play while the first one waits."
    ),
    Rule.PROCESS_EXIT: (
        "When the stream ends, the bot MUST exit within 1 second with status 0, also after a fault."
    ),
}
"""What each rule demands, word for word as in docs/protocol.md."""

_HELLO_REFUSED = (
    ("token is", Rule.HELLO_TOKEN),
    ("protocol version", Rule.HELLO_VERSION),
    ("the first message must be Hello", Rule.HELLO_FIRST),
    ("cannot be parsed", Rule.HELLO_FIRST),
    ("on stdout", Rule.HELLO_FIRST),
    ("Hello's ", Rule.HELLO_LIMITS),
)
_ANSWER_REFUSED = (
    ("exactly one answer", Rule.ANSWER_ONCE),
    ("a Decision is due", Rule.ANSWER_DECISION),
    ("a Decision for match", Rule.ANSWER_MATCH),
    ("the answer to request", Rule.ANSWER_NUMBER),
    ("an action of", Rule.ANSWER_GAME),
)
"""Parts of the referee's fault reasons, and the rule that each indicates."""
_OF_KIND = {
    FaultKind.TIMEOUT: Rule.ANSWER_TIME,
    FaultKind.DISCONNECTED: Rule.STREAM_KEPT,
    FaultKind.ILLEGAL_ACTION: Rule.ANSWER_LEGAL,
}


def rule_of_start(reason: str) -> Rule:
    """Return the rule broken by a bot that failed to start for this reason."""
    return next((rule for part, rule in _HELLO_REFUSED if part in reason), Rule.START)


def rule_of_fault(fault: Fault) -> Rule:
    """Return the rule broken by a bot that forfeited with this fault."""
    if fault.kind is FaultKind.FAILED_TO_START:
        return rule_of_start(fault.reason)
    return rule_of_answer(fault)


def rule_of_answer(fault: Fault) -> Rule:
    """Return the rule broken by an answer with this fault."""
    if fault.kind in _OF_KIND:
        return _OF_KIND[fault.kind]
    broken = (rule for part, rule in _ANSWER_REFUSED if part in fault.reason)
    return next(broken, Rule.ANSWER_READABLE)
