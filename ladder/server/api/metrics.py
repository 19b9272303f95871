"""What the door tells Prometheus of itself. No author and no bot is named in it."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram


class Metrics:
    """The door's counters, in a registry of their own unless one is given."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        """Begin at zero."""
        self.registry = registry or CollectorRegistry()
        self.calls = Counter(
            "courtyard_door_calls", "Calls that ended.", ["method", "code"], registry=self.registry
        )
        self.refusals = Counter(
            "courtyard_door_refusals", "Calls refused.", ["reason"], registry=self.registry
        )
        self.seconds = Histogram(
            "courtyard_door_call_seconds",
            "How long calls took that are no streams.",
            ["method"],
            registry=self.registry,
        )
        self.submitted_bytes = Counter(
            "courtyard_door_submitted_bytes", "Bytes of archives taken.", registry=self.registry
        )
        self.submissions = Counter(
            "courtyard_door_submissions",
            "Submissions that came to an end.",
            ["outcome"],
            registry=self.registry,
        )
        self.open = Gauge(
            "courtyard_door_open_streams",
            "Streams that are open.",
            ["method"],
            registry=self.registry,
        )
