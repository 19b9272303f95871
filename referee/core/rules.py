"""The rules of the protocol that a bot can break, named as in docs/protocol.md."""

from enum import StrEnum


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
    ANSWER_CHOICE = "answer.choice"
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
