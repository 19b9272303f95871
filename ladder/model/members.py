"""The members of a class: the people of a list who submit bots."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Member:
    """A person on the class list."""

    name: str
    """For the ladder's owner alone."""
    author: str
    """The name under which the ladder knows the person, which everyone sees."""
