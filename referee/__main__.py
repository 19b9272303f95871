"""Starts the command `referee`.

Python has every process that a command starts import the file with which it was started itself. So
this one imports the commands when there is one to run, and no worker waits for them. Until they are
there, Ctrl-C ends the process as the system does it, without a traceback; so nothing here takes
long to import.
"""

import signal


def main() -> None:
    """Run the command `referee`."""
    handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
    from referee.core import terminal_size  # noqa: PLC0415 -- see above
    from referee.core.safe_path import guard  # noqa: PLC0415

    guard()
    terminal_size.drop_zeros()
    from referee.cli.app import main as run  # noqa: PLC0415 -- see above

    signal.signal(signal.SIGINT, handler)
    run()


if __name__ == "__main__":
    main()
