"""Starts the command `ladder`.

Python has every process that a command starts import the file with which it was started itself. So
this one imports the commands when there is one to run, and no worker waits for them.
"""

from typing import NoReturn


def main() -> NoReturn:
    """Run the command `ladder`."""
    from ladder.cli import main as run  # noqa: PLC0415 -- see above

    run()


if __name__ == "__main__":
    main()
