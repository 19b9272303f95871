"""What a program printed is there as soon as it is asked for."""

import asyncio
import os

from referee.sandbox.process import Output


def test_what_was_printed_is_there_before_the_loop_has_read() -> None:
    """So nothing is missing of a match that was over before the loop had its turn."""

    async def test() -> None:
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        output = Output(reader)
        os.write(writer, b"thinking\n")
        assert output.text() == "thinking\n"
        output.finish()
        os.close(reader)
        os.close(writer)

    asyncio.run(test())
