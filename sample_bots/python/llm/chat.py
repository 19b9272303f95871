"""Calls an OpenAI-compatible chat endpoint, and is done when the time is up, whatever comes.

httpx2 bounds each read, not the whole call, so calls run in an event loop, which bounds all of it.
"""

import asyncio
import json
import sys
import threading
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

try:
    import httpx2
except ModuleNotFoundError:
    sys.exit("this bot needs the package httpx2: pip install httpx2")

_MOST_BYTES = 4 * 1024 * 1024
"""A longer reply is broken off."""
_FIRST_PAUSE_S = 0.25
_BYTES_OF_A_TOKEN = 3
_DONE = b"[DONE]"
"""The last event of a stream."""
_LATER = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""The statuses after which the same call may succeed."""
_UNFINISHED = {
    "length": "your answer was cut off as it was too long: be brief",
    "tool_calls": "there are no tools here: answer in text",
    "function_call": "there are no tools here: answer in text",
    "content_filter": "your answer was withheld by a filter",
    "": "your answer broke off",
}
"""By why a model stopped, what is wrong with its answer."""


class FailedError(Exception):
    """There is no answer, and no use in asking again in the time that is left."""

    def __init__(self, why: str, prompt_tokens: int = 0) -> None:
        """Name what went wrong, and the estimated tokens that it may have cost."""
        super().__init__(why)
        self.prompt_tokens = prompt_tokens


class _LaterError(Exception):
    """The same call may succeed after these seconds."""

    def __init__(self, why: str, seconds: float = 0.0) -> None:
        super().__init__(why)
        self.seconds = seconds


@dataclass
class Reply:
    """What came back from a model."""

    text: str = ""
    reasoning: str = ""
    """What a model thought, where the endpoint says so: it is logged, and states nothing."""
    finish: str = ""
    """Why the model stopped, in the endpoint's word; empty if the reply broke off."""
    calls_tools: bool = False
    prompt_tokens: int = 0
    answer_tokens: int = 0
    estimated: bool = True
    """The endpoint did not say how many tokens these were."""
    failures: list[str] = field(default_factory=list)
    """What went wrong before."""

    @property
    def flaw(self) -> str:
        """Why this is no whole answer; empty if it is one."""
        return _UNFINISHED.get("tool_calls" if self.calls_tools else self.finish, "")


class Chat:
    """An endpoint with a model."""

    def __init__(self, url: str, key: str | None, body: Mapping[str, Any]) -> None:
        """Take the base address, such as "https://host/v1", and what each request says."""
        self._url = f"{url.rstrip('/')}/chat/completions"
        headers = {"Accept-Encoding": "identity"}
        self._headers = headers | ({"Authorization": f"Bearer {key}"} if key else {})
        self._body = body
        self._loop = asyncio.new_event_loop()
        self._client = httpx2.AsyncClient(timeout=None)
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def ask(self, messages: Sequence[Mapping[str, str]], deadline: float) -> Reply:
        """Return the model's reply; raise `FailedError`.

        An endpoint that is busy or broken is asked again until `deadline`, of `time.monotonic`.
        """
        return asyncio.run_coroutine_threadsafe(self._ask(messages, deadline), self._loop).result()

    def close(self) -> None:
        """Close the connections."""
        asyncio.run_coroutine_threadsafe(self._client.aclose(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _ask(self, messages: Sequence[Mapping[str, str]], deadline: float) -> Reply:
        failures: list[str] = []
        pause = _FIRST_PAUSE_S
        try:
            async with asyncio.timeout(deadline - time.monotonic()):
                while True:
                    try:
                        reply = await self._call(messages)
                    except (_LaterError, httpx2.TransportError, httpx2.StreamError) as error:
                        failures.append(f"{type(error).__name__.strip('_')}: {error}")
                        wait = max(pause, getattr(error, "seconds", 0.0))
                        if time.monotonic() + wait >= deadline:
                            raise FailedError("; ".join(failures)) from None
                        await asyncio.sleep(wait)
                        pause *= 2
                    else:
                        reply.failures = failures
                        return reply
        except TimeoutError:
            why = "; ".join([*failures, "no answer in time"])
            raise FailedError(why, _tokens(_sent(messages))) from None

    async def _call(self, messages: Sequence[Mapping[str, str]]) -> Reply:
        body = {**self._body, "messages": messages}
        async with self._client.stream(
            "POST", self._url, json=body, headers=self._headers
        ) as response:
            if response.status_code != httpx2.codes.OK:
                await _refuse(response)
            reply = Reply()
            kind = response.headers.get("Content-Type", "")
            if kind.startswith("text/event-stream"):
                async for data in _events(response):
                    if data == _DONE:
                        reply.finish = reply.finish or "stop"
                    else:
                        _take(reply, _choice_of(_json(data), reply), "delta")
            else:
                data = _json(b"".join([chunk async for chunk in _bounded(response)]))
                _take(reply, _choice_of(data, reply), "message")
                reply.finish = reply.finish or "stop"  # whole, as its JSON is
        if reply.estimated:
            reply.prompt_tokens = _tokens(_sent(messages))
            reply.answer_tokens = _tokens(reply.text + reply.reasoning)
        return reply


def _sent(messages: Sequence[Mapping[str, str]]) -> str:
    return "".join(message["content"] for message in messages)


def _tokens(text: str) -> int:
    """Estimate how many tokens a text is."""
    return len(text.encode(errors="replace")) // _BYTES_OF_A_TOKEN


async def _refuse(response: httpx2.Response) -> None:
    """Raise what a status other than 200 means."""
    said = b""
    async for chunk in _bounded(response):
        said += chunk
        if len(said) > 200:  # noqa: PLR2004 -- enough to see why
            break
    why = f"status {response.status_code}: {said[:200].decode(errors='replace')}"
    if response.status_code not in _LATER:
        raise FailedError(why)
    raise _LaterError(why, _seconds(response.headers.get("Retry-After", "")))


def _seconds(retry_after: str) -> float:
    """Return what a Retry-After header asks for: seconds, or a date."""
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return 0.0


async def _bounded(response: httpx2.Response) -> AsyncIterator[bytes]:
    received = 0
    async for chunk in response.aiter_raw():
        received += len(chunk)
        if received > _MOST_BYTES:
            raise _LaterError(f"a reply of more than {_MOST_BYTES} bytes")
        yield chunk


async def _events(response: httpx2.Response) -> AsyncIterator[bytes]:
    """Yield the data of server-sent events."""
    rest = b""
    async for chunk in _bounded(response):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                yield line.removeprefix(b"data:").strip()


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise _LaterError(f"no JSON: {data[:200].decode(errors='replace')}") from None


def _choice_of(data: Any, reply: Reply) -> Mapping[str, Any]:
    """Return the first choice of a completion or of a part of one, and note its usage."""
    if not isinstance(data, dict) or data.get("error") or "choices" not in data:
        raise _LaterError(f"no completion: {json.dumps(data)[:200]}")
    usage = data.get("usage")
    if isinstance(usage, dict):
        counts = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if all(isinstance(count, int) and count >= 0 for count in counts):
            reply.prompt_tokens, reply.answer_tokens = counts  # type: ignore[assignment]
            reply.estimated = False
    choices = data["choices"]
    first = choices[0] if isinstance(choices, list) and choices else {}
    return first if isinstance(first, dict) else {}


def _take(reply: Reply, choice: Mapping[str, Any], key: str) -> None:
    """Add to a reply what a choice says."""
    said = choice.get(key)
    if isinstance(said, dict):
        reply.text += _text(said.get("content"))
        reply.reasoning += _text(said.get("reasoning_content") or said.get("reasoning"))
        reply.calls_tools |= bool(said.get("tool_calls") or said.get("function_call"))
    reply.finish = _text(choice.get("finish_reason")) or reply.finish


def _text(content: Any) -> str:
    """Return a content, which is a text or a list of parts."""
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    if not isinstance(content, str):
        return ""
    return content.encode(errors="replace").decode()  # half a surrogate pair cannot be sent again
