"""The commands that need a Unix, which fail with that reason on Windows."""

from typing import Any

from typer import Context
from typer.core import TyperCommand

from referee.core.system import need_unix


class UnixCommand(TyperCommand):
    """A command that does not run on Windows itself, unless `--url` names a remote ladder."""

    def invoke(self, ctx: Context) -> Any:  # type: ignore[override] # typer's own context
        """Run the command; raise `UsageError` where it cannot run."""
        options = ctx.params
        if not options.get("url"):
            instead = ", or name a remote ladder by --url" if "url" in options else ""
            need_unix(f"`{ctx.command_path}`", instead)
        return super().invoke(ctx)
