"""How a seat's messages travel: the places of every transport that a bot may ask for."""

from collections.abc import Callable, Mapping

from referee.transports.base import Place
from referee.transports.framed import StdioPlace
from referee.transports.grpc import GrpcPlace
from referee.transports.json_lines import StdioJsonPlace

TRANSPORTS: Mapping[str, Callable[[str, str], Place]] = {
    "grpc": GrpcPlace,
    StdioPlace.name: StdioPlace,
    StdioJsonPlace.name: StdioJsonPlace,
}
"""What makes a place, of a one-use token and the referee's version, by the transport's name."""

PIPED = frozenset({StdioPlace.name, StdioJsonPlace.name})
"""The transports that use the stdin and stdout of the bot's process."""
