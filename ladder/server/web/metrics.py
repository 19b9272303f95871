"""Metrics of the served ladders for Prometheus, for their owner to watch.

Everything is read when it is asked for. Bots and authors are not named.
"""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from ladder.model.addresses import joined, split
from ladder.model.errors import LadderError
from ladder.model.matches import MatchState
from ladder.runner.json_log import PAGES
from ladder.server.addresses import listen
from ladder.server.public.follower import Following
from ladder.server.web.health import Health
from ladder.storage.tables.counts import Counting, Counts
from ladder.submission import disk_quota

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

_RATE_OVER = timedelta(minutes=1)
_LADDER = ("ladder", "title")
"""The labels of a ladder: the first digits of its id, and its title."""
_ID_SHOWN = 8


class LadderMetrics(Collector):
    """The metrics of ladders."""

    def __init__(self, ladders: Sequence[Following], health: Health) -> None:
        """Report on these ladders."""
        self._ladders = [(following, Counting()) for following in ladders]
        self._health = health

    def collect(self) -> Iterator[Metric]:
        """Yield the current metrics; for an unreadable ladder, only that it is unreadable."""
        metrics = _Families()
        for following, counting in self._ladders:
            labels = (following.newest.ladder_id[:_ID_SHOWN], following.newest.title)
            playing = self._health.is_playing(following)
            if playing is not None:
                metrics.playing.add_metric(labels, playing)
            found = _read(following, counting)
            metrics.readable.add_metric(labels, found is not None)
            if found is not None:
                metrics.add(labels, following, found)
        yield from metrics.all()
        if (tables := self._health.tables) is not None:
            yield GaugeMetricFamily(
                "courtyard_tables_open", "Tables at which people play.", tables.open_tables
            )
            yield GaugeMetricFamily(
                "courtyard_tables_ready", "1 if the tables' process is running.", tables.is_ready
            )


class _Families:
    """The metric families, to be filled with values."""

    def __init__(self) -> None:
        self.readable = _gauge("database_readable", "1 if the ladder's database can be read.")
        self.playing = _gauge(
            "playing", "1 if the process that plays the ladder is alive and not stuck."
        )
        self.matches = _counter("matches", "Matches played.")
        self.void = _counter("matches_void", "Matches given up as void.")
        self.attempts = _counter("void_attempts", "Void attempts at matches.")
        self.forfeits = _counter("forfeits", "Seats that forfeited, by the kind of fault.", "kind")
        self.queue = _gauge("queue", "Planned matches that have not begun.")
        self.running = _gauge("matches_running", "Running matches.")
        self.rate = _gauge(
            "matches_per_second", "Matches finished per second, over the last minute."
        )
        self.bots = _gauge("bots", "Active bots.")
        self.disk = _gauge("bot_files_bytes", "Disk space of the bots' files.")
        self.chance = _gauge(
            "aim_probability",
            "The probability that the current answer is right: the order of all bots (ranking), or "
            "the best three (top).",
            "aim",
        )

    def add(self, labels: tuple[str, str], following: Following, found: Counts) -> None:
        """Add the values of one ladder."""
        played = (MatchState.DONE, MatchState.DROPPED)
        self.matches.add_metric(labels, sum(found.matches[state] for state in played))
        self.void.add_metric(labels, found.matches[MatchState.VOID])
        self.attempts.add_metric(labels, found.void_attempts)
        for kind, times in found.forfeits.items():
            self.forfeits.add_metric((*labels, kind), times)
        self.queue.add_metric(labels, found.matches[MatchState.PLANNED])
        self.running.add_metric(labels, found.matches[MatchState.RUNNING])
        self.rate.add_metric(labels, found.finished_lately / _RATE_OVER.total_seconds())
        newest = following.newest
        self.bots.add_metric(labels, sum(tally.version.active for tally in newest.tallies))
        self.disk.add_metric(labels, disk_quota.of_ladder(following.source.ladder.home).size_bytes)
        self.chance.add_metric((*labels, newest.prospect.aim), newest.prospect.chance)

    def all(self) -> Iterator[Metric]:
        """Yield all families."""
        yield from vars(self).values()


def _gauge(name: str, about: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"courtyard_ladder_{name}", about, labels=(*_LADDER, *labels))


def _counter(name: str, about: str, *labels: str) -> CounterMetricFamily:
    return CounterMetricFamily(f"courtyard_ladder_{name}", about, labels=(*_LADDER, *labels))


def _read(following: Following, counting: Counting) -> Counts | None:
    try:
        with following.source.ladder.database.read() as tx:
            return counting.read(tx, _RATE_OVER)
    except (LadderError, OSError):
        return None


@contextlib.contextmanager
def served(address: str | None, registry: CollectorRegistry) -> Iterator[str | None]:
    """Serve metrics to Prometheus; yield the address. Raise `SettingsError` on failure."""
    if address is None:
        yield None
        return
    host, port = split(address)
    listen(host, port).close()  # the HTTP server's own error would not name the address
    server, thread = start_http_server(port, host, registry)
    server.set_app(_answering(server.get_app()))  # type: ignore[arg-type] # one was set
    server.handle_error = _log_error  # type: ignore[assignment,method-assign] # it would print it
    try:
        yield joined(host, server.server_port)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answering(app: "WSGIApplication") -> "WSGIApplication":
    """Return an application that also answers requests for a version that is none."""

    def answer(environ: dict[str, Any], start_response: Any) -> Any:
        failure: Exception | None = None
        for given in (environ, {**environ, "HTTP_ACCEPT": ""}):
            try:
                return app(given, start_response)
            except Exception as error:  # noqa: BLE001 -- wsgiref would print it
                failure = error
        PAGES.error("the metrics cannot be served", exc_info=failure)
        start_response("500 Internal Server Error", [])
        return [b""]

    return answer


def _log_error(_request: object, _client: object) -> None:
    """Log why a request for the metrics was not answered, unless its sender has gone."""
    if not isinstance(sys.exception(), OSError):
        PAGES.exception("a request for the metrics failed")
