"""The author API's metrics for Prometheus. They name no author and no bot."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram


class Metrics:
    """The author API's counters, in a registry of their own unless one is given."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        """Register the counters at zero."""
        self.registry = registry or CollectorRegistry()
        self.calls = Counter(
            "courtyard_api_calls", "Finished calls.", ["method", "code"], registry=self.registry
        )
        self.refusals = Counter(
            "courtyard_api_refusals", "Refused calls.", ["reason"], registry=self.registry
        )
        self.seconds = Histogram(
            "courtyard_api_call_seconds",
            "Duration of unary calls.",
            ["method"],
            registry=self.registry,
        )
        self.submitted_bytes = Counter(
            "courtyard_api_submitted_bytes", "Bytes of archives received.", registry=self.registry
        )
        self.submissions = Counter(
            "courtyard_api_submissions",
            "Finished submissions.",
            ["outcome"],
            registry=self.registry,
        )
        self.open = Gauge(
            "courtyard_api_open_streams",
            "Open streams.",
            ["method"],
            registry=self.registry,
        )
