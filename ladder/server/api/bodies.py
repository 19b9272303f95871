"""The bodies of requests, each read only once its sender is known."""

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from ladder.server.api.status import invalid

_MOST_BYTES = 64 * 1024

_Taken = TypeVar("_Taken", bound=BaseModel)


def takes(kind: type[BaseModel]) -> dict[str, Any]:
    """Return what OpenAPI says of a route that `sent` reads."""
    schema = {"$ref": f"#/components/schemas/{kind.__name__}"}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


async def sent(request: Request, kind: type[_Taken]) -> _Taken:
    """Return what a request brings; raise `ApiRefusal` if it is something else."""
    return valid(kind.model_validate_json, await body_of(request, _MOST_BYTES, "body"))


async def body_of(request: Request, most: int, what: str) -> bytes:
    """Return a request's body of at most `most` bytes; raise `ApiRefusal` if it is longer."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > most:
            raise invalid("BAD_REQUEST", f"the {what} has more than {most} bytes")
    return body


def valid(read: Callable[[Any], _Taken], given: object) -> _Taken:
    """Return what `read` makes of a value; raise `ApiRefusal` if it is not valid."""
    try:
        return read(given)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise invalid("BAD_REQUEST", f"{where or 'the body'}: {first['msg']}") from error
