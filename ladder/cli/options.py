"""The options of commands that open a bot gateway."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.model.addresses import joined, split
from ladder.model.errors import LadderError

if TYPE_CHECKING:
    from ladder.runner.remote.gateway_process import GatewaySettings

ELSEWHERE = "Remote bots and authors"
"""The help panel of these options."""

RemoteOption = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT",
        help="Open a gateway for remote bots at this address, over TLS.",
        rich_help_panel=ELSEWHERE,
    ),
]
CertificateOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="With --remote: the server's certificate chain, in PEM.",
        rich_help_panel=ELSEWHERE,
    ),
]
KeyOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="With --remote: the certificate's private key, in PEM.",
        rich_help_panel=ELSEWHERE,
    ),
]
ClientRootsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="With --remote: require client certificates signed by one of these CAs, in PEM.",
        rich_help_panel=ELSEWHERE,
    ),
]


def gateway_settings_of(
    remote: str | None, chain: Path | None, key: Path | None, client_roots: Path | None
) -> "GatewaySettings | None":
    """Return the settings of the bot gateway; None without --remote.

    Raise `LadderError` for contradictory options, `UsageError` for invalid certificates.
    """
    from ladder.runner.remote.gateway_process import GatewaySettings
    from referee.transports.certificates import Certificates

    if remote is None:
        if chain or key or client_roots:
            raise LadderError("--tls-cert, --tls-key and --client-ca need --remote HOST:PORT")
        return None
    if chain is None or key is None:
        raise LadderError("--remote needs --tls-cert FILE and --tls-key FILE, to protect tokens")
    address = joined(*split(remote))
    certificates = Certificates(chain, key, client_roots)
    certificates.read()  # report invalid certificates before anything starts
    return GatewaySettings(address, certificates)
