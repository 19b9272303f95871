"""How messages travel: the endpoints of every transport that a bot may ask for."""

from collections.abc import Callable, Mapping

from referee.transports.base import Endpoint
from referee.transports.grpc import GrpcEndpoint
from referee.transports.stdio import StdioEndpoint, StdioJsonEndpoint

TRANSPORTS: Mapping[str, Callable[[str, str], Endpoint]] = {
    "grpc": GrpcEndpoint,
    StdioEndpoint.name: StdioEndpoint,
    StdioJsonEndpoint.name: StdioJsonEndpoint,
}
"""Makes an endpoint from a one-use token and the referee's version, by transport name."""

PIPED = frozenset({StdioEndpoint.name, StdioJsonEndpoint.name})
"""The transports that use the stdin and stdout of the bot's process."""
