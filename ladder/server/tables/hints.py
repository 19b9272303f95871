"""What a bot would do, shown to the people of one table who ask for it."""

import asyncio
import logging

from ladder.server.tables.messages import Order
from ladder.server.tables.screen import Hint, PageScreen
from referee.games.base import Seat
from referee.hosting.adviser import Adviser, NoAdviceError
from referee.hosting.match_runner import MatchRunner
from referee.hosting.running_bot import BotSpec
from referee.match.match import Match

_LOG = logging.getLogger("courtyard.run")


class Hints:
    """The hints at a table: for each person who asks, a bot of its own."""

    def __init__(self, runner: MatchRunner, order: Order, bot: BotSpec) -> None:
        """Ask this bot."""
        self._bot = bot
        startup_ms = order.spec.clock.startup_ms
        self._advisers = {seat: Adviser(runner, bot, startup_ms, seat) for seat in order.people}
        self._asking = set[asyncio.Task[None]]()

    def give(self, match: Match, seat: Seat, screen: PageScreen) -> None:
        """Show a hint to a seat's pending decision, once the bot has decided; one a decision."""
        if screen.hint is not None:
            return
        thinks = Hint(self._bot.name)
        screen.show_hint(thinks)
        asking = asyncio.create_task(self._give(match, seat, screen, thinks))
        self._asking.add(asking)
        asking.add_done_callback(self._asking.discard)

    async def _give(self, match: Match, seat: Seat, screen: PageScreen, thinks: Hint) -> None:
        hint = await self._hint(match, seat)
        if screen.hint is thinks:  # else the person has decided
            screen.show_hint(hint)

    async def _hint(self, match: Match, seat: Seat) -> Hint:
        name, why = self._bot.name, "this machine had a problem"
        try:
            return Hint(name, await self._advisers[seat].advise(match))
        except NoAdviceError as error:
            why = str(error)
        except Exception:  # noqa: BLE001 - whatever it is, the person is told
            _LOG.exception("a hint failed")
        return Hint(name, why=f"{name} has no hint: {why}.")

    async def close(self) -> None:
        """Stop asking, and end the bots."""
        for asking in self._asking:
            asking.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)
        for adviser in self._advisers.values():
            await adviser.close()
