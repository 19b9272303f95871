"""An author API on the loopback, and its clients."""

import asyncio
import concurrent.futures
import contextlib
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
from courtyard.v1 import ladder_pb2_grpc
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status

from ladder.server.api.server import AuthorApi, AuthorApiSettings, open_author_api
from ladder.server.public.follower import Following
from ladder.server.public.reader import PublicReader
from ladder.storage import tokens
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.submission import process
from tests.support.trying_host import try_bots

SETTINGS = AuthorApiSettings("127.0.0.1:0")


@contextlib.contextmanager
def opened(ladders: list[Ladder], settings: AuthorApiSettings = SETTINGS) -> Iterator[AuthorApi]:
    """Serve the author API in a thread; close it at the end."""
    ready: concurrent.futures.Future[AuthorApi] = concurrent.futures.Future()
    leave = threading.Event()

    async def serve() -> None:
        try:
            async with contextlib.AsyncExitStack() as stack:
                followed = [Following(PublicReader(ladder)) for ladder in ladders]
                for each in followed:
                    await stack.enter_async_context(each.running())
                api = await stack.enter_async_context(open_author_api(followed, settings))
                ready.set_result(api)
                await asyncio.to_thread(leave.wait)
        except BaseException as error:
            if not ready.done():
                ready.set_exception(error)
                return
            raise

    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        serving = thread.submit(asyncio.run, serve())
        try:
            yield ready.result()
        finally:
            leave.set()
            serving.result()


@dataclass
class Visitor:
    """A caller, with a token or without."""

    channel: grpc.Channel
    token: str = ""
    seconds: float = 60
    stub: Any = field(init=False)

    def __post_init__(self) -> None:
        """Make the service's stub."""
        self.stub = ladder_pb2_grpc.LadderServiceStub(self.channel)

    def call(self, method: str, request: Any, **options: Any) -> Any:
        """Call a method; raise `grpc.RpcError`."""
        metadata = [("authorization", f"Bearer {self.token}")] if self.token else []
        return getattr(self.stub, method)(
            request, metadata=metadata, timeout=self.seconds, **options
        )


def _to_the_end(answer: Any) -> None:
    for _ in answer if isinstance(answer, Iterator) else ():
        pass


@dataclass(frozen=True)
class Refused:
    """A refused call."""

    code: grpc.StatusCode
    reason: str
    message: str
    metadata: dict[str, str]
    retry: bool


def refusal(call: Callable[[], Any]) -> Refused:
    """Return how a call is refused; read streams to their end."""
    with pytest.raises(grpc.RpcError) as raised:
        _to_the_end(call())
    error: Any = raised.value
    status = rpc_status.from_call(error)
    assert status is not None, error
    info, others = ErrorInfo(), status.details[1:]
    assert status.details[0].Unpack(info)
    assert info.domain == "courtyard"
    assert re.fullmatch("[A-Z]+(_[A-Z]+)*", info.reason)
    metadata = dict(info.metadata)
    return Refused(error.code(), info.reason, error.details(), metadata, bool(others))


Visit = Callable[..., Visitor]


@pytest.fixture(autouse=True)
def without_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the validation matches of submissions need no bots."""
    monkeypatch.setattr(process, "work", try_bots)


@pytest.fixture
def channels() -> Iterator[contextlib.ExitStack]:
    """Close channels at the end."""
    with contextlib.ExitStack() as stack:
        yield stack


@pytest.fixture
def visit(channels: contextlib.ExitStack) -> Visit:
    """Make visitors to an address."""

    def make(address: str, token: str = "") -> Visitor:
        return Visitor(channels.enter_context(grpc.insecure_channel(address)), token)

    return make


@pytest.fixture
def api(ladder: Ladder) -> Iterator[AuthorApi]:
    """Serve the author API of a ladder with four bots of its owner."""
    with opened([ladder]) as api:
        yield api


@pytest.fixture
def token(ladder: Ladder) -> str:
    """Give the author ann a token."""
    return tokens.create(ladder, "ann")


@pytest.fixture
def ann(api: AuthorApi, visit: Visit, token: str) -> Visitor:
    """Connect ann to the author API."""
    return visit(api.address, token)


@pytest.fixture
def uploads(home: Home) -> Callable[[], list[str]]:
    """List the folder of uploads."""
    return lambda: sorted(path.name for path in home.uploads.iterdir())
