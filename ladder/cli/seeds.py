"""The options that decide a new ladder's secret."""

from typing import Annotated

import typer

from ladder.cli.console import say
from ladder.model import ids
from ladder.model.errors import SettingsError

SeedOption = Annotated[
    str | None,
    typer.Option(
        help="A text to mix with 32 random bytes into the ladder's secret, which decides every "
        "deal. Default: random bytes alone."
    ),
]
ReproducibleOption = Annotated[
    bool,
    typer.Option(
        "--reproducible",
        help="Let the seed alone decide every deal, to create the same ladder again. "
        "Anyone who guesses the seed knows every deal.",
    ),
]

GUESSABLE = (
    "Warning: a bot can guess such a short seed, confirm it by the ladder's id, and so know every "
    "deal. With bots that you do not trust, use a random seed, as from `openssl rand -hex 32`, "
    "or omit --reproducible."
)


def chosen_secret(seed: str | None, *, reproducible: bool) -> str:
    """Return a new ladder's secret, and warn if it is guessable; raise `SettingsError`."""
    try:
        (seed or "").encode()
    except UnicodeEncodeError:
        raise SettingsError("the seed is not UTF-8 text") from None
    if reproducible and not seed:
        raise SettingsError("--reproducible needs a --seed")
    if seed and reproducible and ids.is_guessable(seed):
        say(GUESSABLE)
    return ids.secret_of(seed or None, reproducible=reproducible)
