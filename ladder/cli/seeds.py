"""The options that decide what a new ladder's secret follows from."""

from typing import Annotated

import typer

from ladder.cli.console import say
from ladder.model import ids
from ladder.model.errors import SettingsError

SeedOption = Annotated[
    str | None,
    typer.Option(
        help="A text that the ladder's secret, from which every deal follows, is made of, beside "
        "32 random bytes. Default: random bytes alone."
    ),
]
ReproducibleOption = Annotated[
    bool,
    typer.Option(
        "--reproducible",
        help="Let the seed alone decide every deal, so that the same ladder can be made again. "
        "Whoever guesses the seed knows every deal.",
    ),
]

GUESSABLE = (
    "Warning: a bot can guess so short a seed, check the guess by the ladder's id, and then knows "
    "every deal. With bots that you do not trust, use a random seed such as `openssl rand -hex 32` "
    "gives, or leave out --reproducible."
)


def chosen_secret(seed: str | None, *, reproducible: bool) -> str:
    """Return the secret of a new ladder, and warn if it can be guessed; raise `SettingsError`."""
    try:
        (seed or "").encode()
    except UnicodeEncodeError:
        raise SettingsError("the seed is not UTF-8 text") from None
    if reproducible and not seed:
        raise SettingsError("--reproducible needs a --seed to make the same ladder from again")
    if seed and reproducible and ids.is_guessable(seed):
        say(GUESSABLE)
    return ids.secret_of(seed or None, reproducible=reproducible)
