"""What the pages ask of tables, wherever these are kept."""

from abc import ABC, abstractmethod
from typing import Any

from ladder.server.tables.messages import (
    Answer,
    AskHint,
    Compare,
    Compared,
    Fetch,
    Join,
    Leave,
    Look,
    Opened,
    Order,
    Request,
    Seen,
)
from ladder.server.tables.study import Study


class TableClient(ABC):
    """Asks tables. Every method raises `TableError` if they refuse."""

    def __init__(self, most: int, study: Study | None = None) -> None:
        """Ask at most so many open tables, which keep decisions for a study, if any."""
        self.most = most
        self.study = study

    async def open(self, order: Order) -> Opened:
        """Open a table."""
        opened: Opened = await self._ask(order)
        return opened

    async def look(self, table: str, secret: str, after: int = -1) -> Seen:
        """Return what a viewer sees, once that is newer than a version, or after a while."""
        seen: Seen = await self._ask(Look(table, secret, after))
        return seen

    async def answer(self, table: str, secret: str, question: int, option: int | None) -> None:
        """Answer a question; None takes the last step back."""
        await self._ask(Answer(table, secret, question, option))

    async def hint(self, table: str, secret: str) -> None:
        """Ask for a hint, which the person then sees at the table."""
        await self._ask(AskHint(table, secret))

    async def join(self, table: str, invitation: str, name: str) -> str:
        """Take a seat; return its secret."""
        secret: str = await self._ask(Join(table, invitation, name))
        return secret

    async def leave(self, table: str, secret: str) -> None:
        """Leave the table as the person with this secret."""
        await self._ask(Leave(table, secret))

    async def record(self, table: str) -> bytes:
        """Return the record of a match that is over, in protobuf's encoding."""
        record: bytes = await self._ask(Fetch(table))
        return record

    async def compare(self, table: str, secret: str, bot: str) -> Compared | None:
        """Return a seat's decisions beside a sample bot's; None: the bot needs more time."""
        compared: Compared | None = await self._ask(Compare(table, secret, bot))
        return compared

    @abstractmethod
    async def _ask(self, request: Request) -> Any:
        """Return the answer to a request."""

    @abstractmethod
    async def close(self) -> None:
        """End all tables; those who look are told."""
