"""Advice for a bot that said no Hello: which transport it seems to speak instead."""

import re

_JSON = re.compile(rb'^\s*\{?\s*"(hello|matchId|match_id)"\s*:', re.MULTILINE)
_FRAMED = re.compile(rb"[\x00-\x7f]\x12[\x00-\x7f]\x08\x01")
"""A length, the field `hello` with its length, and in it the protocol version 1."""
_DIALS = re.compile(rb"COURTYARD_(ADDRESS|TOKEN_FILE)")

_SPOKEN = (
    (_JSON, "stdio-json", "the bot wrote lines of JSON"),
    (_FRAMED, "stdio", "the bot wrote length-prefixed protobuf"),
    (_DIALS, "grpc", "the bot looks for COURTYARD_ADDRESS and its token, which gRPC has"),
)


def another_carrier(transport: str, written: bytes) -> str:
    """Return advice on the transport that a bot's output suggests; empty if unknown."""
    for sign, name, what in _SPOKEN:
        if name != transport and sign.search(written):
            return f'{what}: set transport = "{name}" in bot.toml'
    return ""
