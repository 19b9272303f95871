"""The commands of a cluster: its certificates, its scheduler, its workers; and their options."""

import secrets
import socket
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.console import program, say, say_plainly
from ladder.model.addresses import bare, bracketed
from ladder.model.errors import LadderError, MissingPackageError
from referee.core.lossy_output import lossy_output

if TYPE_CHECKING:
    from ladder.runner.cluster.certificates import ClusterCertificates
    from ladder.runner.cluster.reach import Cluster

_CERTIFICATES = Path("certificates")
CLUSTER = "A cluster"
"""The help panel of the options of `ladder run`."""

ClusterOption = Annotated[
    str | None,
    typer.Option(
        metavar="tls://HOST:PORT",
        help="Play on the workers of the scheduler at this address.",
        rich_help_panel=CLUSTER,
    ),
]
ClusterCertificatesOption = Annotated[
    Path | None,
    typer.Option(
        "--certificates",
        metavar="DIR",
        help="With --cluster: the cluster's certificates. Default: ./certificates.",
        rich_help_panel=CLUSTER,
    ),
]
_CertificatesOption = Annotated[
    Path,
    typer.Option("--certificates", metavar="DIR", help="The cluster's certificates."),
]


def certificates(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder to make.")
    ] = _CERTIFICATES,
) -> None:
    """Make the certificate of a cluster; copy the folder to each of its machines.

    Its holder can run programs on all machines of the cluster, which accept no other.
    """
    made = certificates_in(folder)
    made.make()
    say(f"Made the certificate of a cluster in {folder}: copy it to each of its machines.")
    say("To go on, on the machine that all others can reach, then on each that is to play:")
    option = "" if folder == _CERTIFICATES else f" --certificates {folder}"
    say(f"  {program()} scheduler{option}")
    say(f"  {program()} worker tls://{socket.gethostname()}:8786{option}")


@lossy_output()
def scheduler(
    host: Annotated[
        str, typer.Option(metavar="HOST", help="The address to listen at.")
    ] = "0.0.0.0",  # noqa: S104 -- no peer connects without a certificate of the cluster
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen at; 0 picks a free one.")
    ] = 8786,
    certificates_folder: _CertificatesOption = _CERTIFICATES,
) -> None:
    """Run the scheduler of a cluster, which hands the matches of runs to workers."""
    found = certificates_in(certificates_folder)
    from ladder.runner.cluster.serving import serve_scheduler

    serve_scheduler(bracketed(bare(host)), port, found, say_plainly)


@lossy_output()
def worker(
    address: Annotated[
        str, typer.Argument(metavar="tls://HOST:PORT", help="The scheduler's address.")
    ],
    cores: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Concurrent matches. Default: one per core."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="Its name in the cluster. Default: the machine's, and some letters."),
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Where it keeps bots' files. Default: ~/.cache/courtyard/bots."
        ),
    ] = None,
    store_gib: Annotated[
        float, typer.Option(min=0, metavar="GIB", help="The size of the bots' files it keeps.")
    ] = 20,
    certificates_folder: _CertificatesOption = _CERTIFICATES,
) -> None:
    """Run a worker of a cluster, which plays the matches that runs hand out.

    It waits for the scheduler, and begins anew when that was gone. It gets the bots' files from the
    ladder and builds them itself. Ctrl-C ends it at once: others play its matches.
    """
    found = certificates_in(certificates_folder)
    from ladder.model.cores import cores as usable_cores
    from ladder.runner.cluster.bot_store import BotStore, default_folder
    from ladder.runner.cluster.serving import ClusterWorker

    named = name or f"{socket.gethostname()}-{secrets.token_hex(2)}"
    kept = BotStore(store or default_folder(), int(store_gib * (1 << 30)))
    ClusterWorker(address, found, named, cores or usable_cores(), kept, say_plainly).serve()


def cluster_of(address: str | None, folder: Path | None) -> "Cluster | None":
    """Return the cluster of a run; None without --cluster.

    Raise `LadderError` for contradictory options, and for a wrong address or unusable certificates.
    """
    if address is None:
        if folder is not None:
            raise LadderError("--certificates needs --cluster tls://HOST:PORT")
        return None
    found = certificates_in(folder or _CERTIFICATES)
    from ladder.runner.cluster.reach import Cluster, parsed

    parsed(address)
    found.check()
    return Cluster(address, found)


def certificates_in(folder: Path) -> "ClusterCertificates":
    """Return the certificates in a folder; raise `LadderError` if the extra is not installed."""
    for package in ("distributed", "cryptography"):
        if find_spec(package) is None:
            raise MissingPackageError("a cluster", package, "cluster")
    from ladder.runner.cluster.certificates import ClusterCertificates

    return ClusterCertificates(folder)
