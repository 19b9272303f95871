"""The demand of each rule of the protocol, and the rule that each fault breaks."""

from collections.abc import Mapping

from referee.core.faults import Fault, FaultKind
from referee.core.rules import Rule

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
    Rule.ANSWER_CHOICE: "In the plain dialect the Decision MUST hold the `choice` of an option.",
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
"""The demand of each rule, word for word as in docs/protocol.md."""

_OF_KIND = {
    FaultKind.FAILED_TO_START: Rule.START,
    FaultKind.TIMEOUT: Rule.ANSWER_TIME,
    FaultKind.DISCONNECTED: Rule.STREAM_KEPT,
    FaultKind.PROTOCOL_ERROR: Rule.ANSWER_READABLE,
    FaultKind.ILLEGAL_ACTION: Rule.ANSWER_LEGAL,
}
"""The rule that a fault of each kind breaks unless it carries another one."""
_REASONS = {
    FaultKind.FAILED_TO_START: (
        ("token is", Rule.HELLO_TOKEN),
        ("protocol version", Rule.HELLO_VERSION),
        ("the first message must be Hello", Rule.HELLO_FIRST),
        ("cannot be parsed", Rule.HELLO_FIRST),
        ("on stdout", Rule.HELLO_FIRST),
        ("Hello's ", Rule.HELLO_LIMITS),
    ),
    FaultKind.PROTOCOL_ERROR: (
        ("exactly one answer", Rule.ANSWER_ONCE),
        ("a Decision is due", Rule.ANSWER_DECISION),
        ("a Decision for match", Rule.ANSWER_MATCH),
        ("the answer to request", Rule.ANSWER_NUMBER),
        ("an action of", Rule.ANSWER_GAME),
        ("the choice of an option", Rule.ANSWER_CHOICE),
    ),
}
"""Parts of the reasons in records, which hold no rules."""


def broken_rule(fault: Fault) -> Rule:
    """Return the rule that a bot broke by a fault of this process."""
    return fault.rule or _OF_KIND[fault.kind]


def recorded_rule(fault: Fault) -> Rule:
    """Return the rule that a bot broke by a fault from a record, as far as its reason shows."""
    reasons = _REASONS.get(fault.kind, ())
    found = (rule for part, rule in reasons if part in fault.reason)
    return next(found, _OF_KIND[fault.kind])
