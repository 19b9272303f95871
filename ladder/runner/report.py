"""The report of a run: what it played, and why it ended."""

from dataclasses import dataclass


@dataclass(slots=True)
class Report:
    """The outcome of a run, and why it ended."""

    matches: int = 0
    decisions: int = 0
    spars: int = 0
    """Unrated matches that authors have asked for."""
    void: int = 0
    """Matches given up."""
    postponed: int = 0
    """Of these, matches that the next run plays."""
    left_over: int = 0
    """Planned matches that were not played."""
    seconds: float = 0.0
    stopped: bool = False
    """The run was asked to stop."""
    limited: bool = False
    """A limit was reached before the planner was finished."""
    paused: bool = False
    """The director has paused the tournament."""
    interrupted: bool = False
    """The run was stopped before the planner was finished."""
