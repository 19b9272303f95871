"""The options of commands that open a gateway for remote bots."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.model.errors import LadderError
from ladder.server.addresses import split

if TYPE_CHECKING:
    from ladder.runner.remote.gateway_process import GatewaySettings

ELSEWHERE = "For those who come from elsewhere"
"""The part of the help for these options."""

RemoteOption = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT", help="Let remote bots join here, over TLS.", rich_help_panel=ELSEWHERE
    ),
]
CertificateOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="With --remote: the certificate and its chain, in PEM.",
        rich_help_panel=ELSEWHERE,
    ),
]
KeyOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="With --remote: the certificate's key, in PEM.",
        rich_help_panel=ELSEWHERE,
    ),
]
ClientRootsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="With --remote: bots must show a certificate below one of these roots, in PEM.",
        rich_help_panel=ELSEWHERE,
    ),
]


def gateway_settings_of(
    remote: str | None, chain: Path | None, key: Path | None, client_roots: Path | None
) -> "GatewaySettings | None":
    """Return where to open a gateway, if one is wanted.

    Raise `LadderError` if that is not clear, `UsageError` if the certificates are no good.
    """
    from ladder.runner.remote.gateway_process import GatewaySettings
    from referee.transports.certificates import Certificates

    if remote is None:
        if chain or key or client_roots:
            raise LadderError("--tls-cert, --tls-key and --client-ca are for --remote HOST:PORT")
        return None
    if chain is None or key is None:
        raise LadderError("--remote needs --tls-cert FILE and --tls-key FILE: tokens travel on it")
    split(remote)
    certificates = Certificates(chain, key, client_roots)
    certificates.read()  # what is wrong with them is said before anything begins
    return GatewaySettings(remote, certificates)
