"""How the commands `referee` and `ladder` end: output, errors and exit status."""

import contextlib
import errno
import io
import signal
import sys
import threading
import time
from types import FrameType
from typing import Annotated, NoReturn, Self

import typer
from typer.exceptions import TyperException

from referee.core.current_folder import is_lost
from referee.core.errors import CourtyardError
from referee.core.scratch import scratch
from referee.games import game_names
from referee.games.base import GameError


def complete_game(incomplete: str) -> list[str]:
    """Return the games whose names start with this text, for shell completion."""
    return [name for name in game_names() if name.startswith(incomplete)]


def _show_version(context: typer.Context, wanted: bool) -> None:  # noqa: FBT001 -- as typer calls
    if wanted:
        from importlib.metadata import version

        program = str(context.info_name).split()[-1]  # python -m ladder
        typer.echo(f"{program} (Courtyard) {version('courtyard')}")
        raise typer.Exit


VersionOption = Annotated[
    bool,
    typer.Option(
        "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    ),
]
EXPECTED_ERROR = 1
INTERRUPTED = 130
_BY_A_SIGNAL = 128


def run(app: typer.Typer) -> NoReturn:
    """Run a command and exit: an expected error prints one line on stderr and gives status 1.

    Only a bug in Courtyard shows a traceback.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without arrows still shows a match
    try:
        with EndSignals() as ending, scratch():
            status = app(standalone_mode=False)
        if ending.received and status == INTERRUPTED:  # typer has caught the exception
            _leave(ending.received)
        _flush()
    except (CourtyardError, GameError) as error:
        fail(str(error))
    except TyperException as error:
        if message := getattr(error, "format_message", error.__str__)():
            fail(message)
        sys.exit(EXPECTED_ERROR)  # the help has been shown in place of a command
    except (KeyboardInterrupt, typer.Abort):
        _leave(ending.received)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone
        sys.exit(EXPECTED_ERROR)
    except OSError as error:
        _fail_of_the_system(error)
    sys.exit(status if isinstance(status, int) else 0)


def _fail_of_the_system(error: OSError) -> NoReturn:
    """Print an error of the system that is no bug of ours; raise any other."""
    if error.filename is None and is_lost():
        fail("the current folder has been deleted: change to another one")
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        raise error
    _drop_output()
    fail(f"{error.filename or 'output file'}: {error.strerror}")


def _leave(received: signal.Signals | None) -> NoReturn:
    """Print that the command was interrupted, or which signal ended it; exit as shells expect."""
    with contextlib.suppress(OSError):  # the terminal may be gone
        words = f"ended by {received.name}" if received else "interrupted"
        print(words, file=sys.stderr)  # noqa: T201 -- the last word of a command
    sys.exit(INTERRUPTED if received is None else _BY_A_SIGNAL + received)


def _flush() -> None:
    """Flush stdout, so that a failed write is reported."""
    if sys.stdout:  # None if it was closed before we began
        sys.stdout.flush()


def _drop_output() -> None:
    """Discard unwritten output: Python would try to write it again at exit, and complain."""
    with contextlib.suppress(OSError):
        sys.stdout.close()


def fail(message: str) -> NoReturn:
    """Print an error in one line and exit with status 1."""
    print_error(message)
    sys.exit(EXPECTED_ERROR)


def print_error(message: str) -> None:
    """Print an error in one line."""
    printable = "".join(c if c.isprintable() else " " for c in message)
    print(f"error: {' '.join(printable.split())}", file=sys.stderr)  # noqa: T201 -- the same


_ENDING = [signal.Signals[name] for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
_ONE_REQUEST_S = 1.0
"""Signals within this many seconds count as one request: some programs signal a process and then
its group."""


class EndSignals:
    """Context manager that handles both signals; leaves SIGHUP ignored under `nohup`."""

    def __init__(self) -> None:
        """Start without a signal."""
        self.received: signal.Signals | None = None
        """The signal that ended the command."""
        self._at = 0.0
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        """Install the handlers if this is the main thread."""
        if threading.current_thread() is threading.main_thread():
            for number in _ENDING:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the earlier handlers."""
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type] # it came from there

    def _handle(self, number: int, frame: FrameType | None) -> None:
        """Act as Ctrl-C would."""
        if self.received is not None and time.monotonic() - self._at < _ONE_REQUEST_S:
            return
        self.received, self._at = signal.Signals(number), time.monotonic()
        # Imported only where needed, as it is slow; half imported when a signal comes meanwhile.
        running = getattr(sys.modules.get("asyncio"), "_get_running_loop", None)
        loop = running and running()
        if loop is None:
            raise KeyboardInterrupt
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):  # the loop's own handler: cancels its main task
            handler(signal.SIGINT, frame)
        else:  # a shell makes background commands ignore Ctrl-C
            loop.call_soon_threadsafe(_interrupt)


def _interrupt() -> None:
    """End the event loop; raised elsewhere, the exception might count as a bot's fault."""
    raise KeyboardInterrupt
