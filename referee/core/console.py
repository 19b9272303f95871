"""The console of all commands: what it is given may come from strangers."""

import re
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

_COMMANDS = re.compile(
    "[\0-\b\v-\x1f\x7f-\x9f"  # all controls but tabs and line ends
    "\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
"""Characters that a terminal obeys or hides: controls, and those that turn or hide other text."""


class SafeConsole(Console):
    """A console on which a text cannot command the terminal: such characters become dots.

    A title, a name or a log line with an escape sequence could otherwise fill the clipboard, rename
    the window or overwrite what stands above. Colours are styles, not characters.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of what is printed, also within tables."""
        for segment in super().render(renderable, options):
            if segment.control or not _COMMANDS.search(segment.text):
                yield segment
            else:
                yield Segment(_COMMANDS.sub("·", segment.text), segment.style)
