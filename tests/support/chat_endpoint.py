"""A chat endpoint on loopback that answers as models and their servers do, each in its mood."""

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any, Literal

Said = int | Literal["illegal", "unreadable", "failed"]
"""What an answer states: the index of an option, or why it states none."""

_OPTION = re.compile(r"^\d+\. (.*)$", re.MULTILINE)


class Endpoint:
    """An endpoint with a model that plays at random."""

    def __init__(self, answer: "Answer", seed: str = "a seed") -> None:
        """Answer in one of MOODS, or another way, the same way with the same seed."""
        self.random = Random(seed)
        self.said: list[Said] = []
        """What was stated, in order; those who ask clear it."""
        self.asked: list[dict[str, Any]] = []
        """The bodies of the requests."""
        self.keys: set[str | None] = set()
        """The Authorization headers that came."""
        self.closed = threading.Event()
        self._answer = answer
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @contextmanager
    def serving(self) -> Iterator["Endpoint"]:
        """Serve until the block ends."""
        thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield self
        finally:
            self.closed.set()
            self._server.shutdown()
            thread.join()
            self._server.server_close()

    def _handler(endpoint: "Endpoint") -> type[BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.asked.append(body)
                endpoint.keys.add(self.headers["Authorization"])
                asked = Asked(endpoint, self, body)
                said = endpoint._answer(asked)
                endpoint.said.append(said)
                asked.send()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        return Handler


class Asked:
    """One request, and the reply to it, which is sent once what it states is noted."""

    def __init__(
        self, endpoint: Endpoint, handler: BaseHTTPRequestHandler, body: Mapping[str, Any]
    ) -> None:
        """Read how many options there are."""
        self.random = endpoint.random
        self.options = _OPTION.findall(body["messages"][1]["content"])
        self.is_again = len(body["messages"]) > 2
        self.closed = endpoint.closed
        self._handler = handler
        self._sending: Callable[[], None] = lambda: None

    def any_option(self) -> int:
        """Draw an option."""
        return self.random.randrange(len(self.options))

    def stated(self) -> tuple[str, int]:
        """Return an answer that states an option, after others that were only thought about."""
        option, other = self.any_option(), self.any_option()
        before = f'Perhaps {{"choice": {other + 1}}}? No: {{"why": {{"choice": 1}}}}. '
        return f'{before}So: ```json\n{{"choice": {option + 1}}}\n```', option

    def completion(self, message: Mapping[str, Any], finish: str | None = "stop") -> None:
        """Reply with a completion."""
        choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        self.reply(json.dumps({"choices": [choice], "usage": usage}).encode())

    def reply(self, body: bytes, status: int = 200, **headers: str) -> None:
        """Reply with a body."""

        def send() -> None:
            self._handler.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self._handler.send_header(name.replace("_", "-"), value)
            self._handler.end_headers()
            self._handler.wfile.write(body)

        self._sending = send

    def stream(self, text: str, end: str) -> None:
        """Reply with server-sent events, cut at odd places."""
        events = [{"choices": [{"delta": {"role": "assistant", "content": ""}}]}]
        events += [
            {"choices": [{"delta": {"content": part}}]}
            for part in re.findall(".{1,7}", text, re.DOTALL)
        ]
        lines = "".join(f"data: {json.dumps(event)}\r\n\r\n" for event in events) + end
        data = f": a comment\r\n\r\n{lines}".encode()

        def send() -> None:
            self._handler.send_response(200)
            self._handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self._handler.send_header("Connection", "close")
            self._handler.end_headers()
            while data_left := data[len(data) - self._left :]:
                step = self.random.randint(1, 40)
                self._handler.wfile.write(data_left[:step])
                self._handler.wfile.flush()
                self._left -= len(data_left[:step])

        self._left = len(data)
        self._sending = send

    def hang(self, begun: bytes) -> None:
        """Begin a reply, and say no more until the endpoint closes."""

        def send() -> None:
            self._handler.wfile.write(begun)
            self._handler.wfile.flush()
            self.closed.wait()
            self._handler.close_connection = True

        self._sending = send

    def cut(self, begun: bytes) -> None:
        """Begin a reply, and close the connection."""

        def send() -> None:
            self._handler.wfile.write(begun)
            self._handler.close_connection = True

        self._sending = send

    def send(self) -> None:
        """Send the reply."""
        self._sending()
        self._handler.wfile.flush()


Answer = Callable[[Asked], Said]
"""Makes the reply to a request, and tells what it states."""


def always(reply: Callable[[Asked], None]) -> Answer:
    """Return what makes this reply to each request."""

    def answer(asked: Asked) -> Said:
        reply(asked)
        return "failed"

    return answer


def honest(asked: Asked) -> Said:
    """State an option."""
    text, option = asked.stated()
    asked.completion({"content": text})
    return option


def _slow(asked: Asked) -> Said:
    if asked.random.random() > 0.02:
        return honest(asked)
    asked.hang(asked.random.choice([b"", b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{"]))
    return "failed"


def _lying(asked: Asked) -> Said:
    if asked.random.random() > 0.3:
        return honest(asked)
    count, option = len(asked.options), asked.any_option()
    illegal = [f'{{"choice": {n}}}' for n in (0, -1, count + 1, 10**30)]
    unreadable = [
        f"I choose option {option + 1}: {asked.options[option]}",
        f'{{"choice": "{option + 1}"}}',
        f'{{"choice": {option + 1}, "choice": {count}}}' if option + 1 < count else "none",
        f'{{"choice": {option + 1}}} and {{"move": 1}}',
        f'{{"choice": [{option + 1}]}}',
        '{"choice": true}',
        f'{{"choice": {option + 1}',
        f'<think>{{"choice": {option + 1}}}',
        "{" * 2000,
        "\ud800",
        "",
    ]
    is_illegal = asked.random.random() < 0.5
    asked.completion({"content": asked.random.choice(illegal if is_illegal else unreadable)})
    return "illegal" if is_illegal else "unreadable"


def _truncating(asked: Asked) -> Said:
    if asked.random.random() > 0.2:
        return honest(asked)
    text, _ = asked.stated()
    asked.completion({"content": text}, finish="length")
    if asked.random.random() < 0.5:
        asked.stream(text, "")
    return "unreadable"


def _broken(asked: Asked) -> Said:
    if asked.random.random() > 0.02:
        return honest(asked)
    broken: list[Callable[[], None]] = [
        lambda: asked.reply(b"<html>try later</html>", 502),
        lambda: asked.reply(b"<html>welcome</html>"),
        lambda: asked.reply(b'{"error": {"message": "overloaded"}}'),
        lambda: asked.reply(b"[" * 100_000),
        lambda: asked.cut(b""),
        lambda: asked.cut(b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{"),
        lambda: asked.cut(b"SMTP?\r\n\r\n"),
    ]
    asked.random.choice(broken)()
    return "failed"


def _empty(asked: Asked) -> Said:
    """Reply with completions that lack something."""
    if asked.random.random() > 0.2:
        return honest(asked)
    empty: list[dict[str, object]] = [
        {},
        {"content": None},
        {"content": 5},
        {"content": [{"type": "image"}, 7]},
    ]
    asked.completion(asked.random.choice(empty))
    if asked.random.random() < 0.5:
        asked.reply(asked.random.choice([b'{"choices": []}', b'{"choices": [[]], "usage": 3}']))
    return "unreadable"


def _limited(asked: Asked) -> Said:
    if asked.random.random() > 0.02:
        return honest(asked)
    waits = [{}, {"Retry_After": "0"}, {"Retry_After": formatdate(usegmt=True)}]
    asked.reply(b"slower", 429, **asked.random.choice([*waits, {"Retry_After": "soon"}]))
    return "failed"


def _calling_tools(asked: Asked) -> Said:
    if asked.is_again or asked.random.random() > 0.3:
        return honest(asked)
    text, _ = asked.stated()
    call = {"id": "1", "type": "function", "function": {"name": "play", "arguments": text}}
    content = asked.random.choice([None, text])
    asked.completion({"content": content, "tool_calls": [call]}, finish="tool_calls")
    return "unreadable"


def _reasoning(asked: Asked) -> Said:
    text, option = asked.stated()
    other = f'{{"choice": {asked.any_option() + 1}}}'
    if asked.random.random() < 0.2:
        asked.completion({"content": "", "reasoning_content": other})
        return "unreadable"
    field = asked.random.choice(["reasoning_content", "reasoning"])
    parts = [{"type": "text", "text": f"<think>{other}</think>"}, {"type": "text", "text": text}]
    asked.completion({"content": parts, field: f"{text}{other}"})
    return option


def _streaming(asked: Asked) -> Said:
    text, option = asked.stated()
    finish = '{"choices": [{"delta": {}, "finish_reason": "stop"}]}'
    usage = '{"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}'
    ends = ["data: [DONE]\n\n", f"data: {finish}\n\ndata: {usage}\n\ndata: [DONE]\n\n"]
    asked.stream(f"Größe 🂡 {text}", asked.random.choice(ends))
    return option


MOODS: Mapping[str, Answer] = {
    "honest": honest,
    "slow": _slow,
    "lying": _lying,
    "truncating": _truncating,
    "broken": _broken,
    "empty": _empty,
    "rate-limited": _limited,
    "tool calls": _calling_tools,
    "reasoning": _reasoning,
    "streaming": _streaming,
}
"""What notes and sends each answer."""
