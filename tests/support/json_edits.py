"""Edit the text of a JSON value at one place."""

import json
from collections.abc import Iterator
from typing import Any

Step = str | int
Path = tuple[Step, ...]

_HERE = "the text that is put here"


def nodes(tree: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every object, list and value below this one, with its path."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for step, node in items:
        yield (*path, step), node
        if isinstance(node, dict | list):
            yield from nodes(node, (*path, step))


def at(tree: Any, path: Path) -> Any:
    """The node at a path."""
    for step in path:
        tree = tree[step]
    return tree


def with_text(tree: Any, path: Path, text: str) -> str:
    """The JSON of a tree in which this text stands for the node at this path."""
    if not path:
        return text
    holder, last = at(tree, path[:-1]), path[-1]
    kept, holder[last] = holder[last], _HERE
    try:
        return json.dumps(tree).replace(json.dumps(_HERE), text)
    finally:
        holder[last] = kept


def with_key(tree: Any, path: Path, text: str) -> str:
    """The JSON of a tree in which this text stands for the key at the end of this path."""
    holder, last = at(tree, path[:-1]), path[-1]
    kept = dict(holder)
    holder.clear()
    holder.update({_HERE if key == last else key: value for key, value in kept.items()})
    try:
        return json.dumps(tree).replace(json.dumps(_HERE), text)
    finally:
        holder.clear()
        holder.update(kept)
