"""Starts the command `ladder`.

Python has every process that a command starts import the file with which it was started itself. So
this one imports the commands when there is one to run, and no worker waits for them. Until they are
there, Ctrl-C ends the process as the system does it, without a traceback; so nothing here takes
long to import.

gRPC would write lines of its own to stderr, one for each peer that speaks no TLS: what the
commands tell is theirs alone, and may be JSON. GRPC_VERBOSITY in the environment brings them back.
"""

import gc
import os
import signal


def main() -> None:
    """Run the command `ladder`."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from referee.core import terminal_size  # noqa: PLC0415 -- see above
    from referee.core.safe_path import guard  # noqa: PLC0415

    guard()
    terminal_size.drop_zeros()
    gc.disable()  # what is imported stays, and garbage collection takes a tenth of the start
    from ladder.cli.app import main as run  # noqa: PLC0415 -- see above

    gc.freeze()
    gc.enable()
    signal.signal(signal.SIGINT, handler)
    run()


if __name__ == "__main__":
    main()
