"""The options with which an author starts a bot that joins a ladder from this machine.

Each stands for a variable of the environment, and counts where both are given. Other arguments are
the bot's own.
"""

import os
from argparse import ArgumentParser

_OPTIONS = {
    "--connect": ("COURTYARD_REMOTE", "HOST:PORT", "the gateway of the ladder to join"),
    "--token-file": ("COURTYARD_TOKEN_FILE", "FILE", "the file with your token of the ladder"),
    "--ca-file": (
        "COURTYARD_CA_FILE",
        "FILE",
        "the roots of the gateway's certificate, in PEM, unless they are the usual ones",
    ),
    "--cert-file": (
        "COURTYARD_CERT_FILE",
        "FILE",
        "the bot's own certificate, in PEM, where the gateway wants one",
    ),
    "--key-file": ("COURTYARD_KEY_FILE", "FILE", "the key of the bot's own certificate, in PEM"),
}


def take_options() -> None:
    """Put the options of the command line into the environment."""
    parser = ArgumentParser(
        description="Join a ladder and play there until it is stopped.", allow_abbrev=False
    )
    for option, (variable, metavar, what) in _OPTIONS.items():
        parser.add_argument(option, dest=variable, metavar=metavar, help=f"{what} [{variable}]")
    given, _ = parser.parse_known_args()
    os.environ.update({name: value for name, value in vars(given).items() if value is not None})
