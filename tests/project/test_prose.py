"""No code decides by the words of a sentence: errors, faults and stages carry their kind."""

import ast
import re
from collections.abc import Iterator, Mapping

import pytest

OF_SENTENCES = {"detail", "message", "problem", "reason", "refusal", "why"}
"""Names of sentences for people."""
READINGS = {"count", "endswith", "find", "index", "partition", "rpartition", "startswith"}
SEARCHES = {"findall", "fullmatch", "match", "search"}
WORDS = re.compile(r"[a-z]{2,} |[A-Za-z] [a-z]{2,}")
"""What makes a text part of a sentence."""
KNOWN = {
    "ladder/runner/cluster/reach.py: 'ALERT' in reason": "OpenSSL's name of it",
    "ladder/runner/cluster/reach.py: 'CERTIFICATE_EXPIRED' in reason": "OpenSSL's name of it",
    "ladder/runner/cluster/serving.py: 'handshake failed' in record.msg": "Dask's",
    "ladder/runner/cluster/serving.py: 'name taken' in str(cause)": "Dask's",
    "referee/conformance/check/rules.py: part in fault.reason": "a record's, which has no rule",
    "referee/match/canonical.py: _PLACE_OF_PARSER.fullmatch(problem)": "protobuf's",
}
"""Sentences that others write, or that are stored without their kind."""


def test_no_code_decides_by_prose(parsed: Mapping[str, ast.Module]) -> None:
    """Each test of a sentence's words is known, with whose sentence it is."""
    found = {
        f"{path}: {ast.unparse(node)}"
        for path, module in parsed.items()
        for node in readings_of_prose(module)
    }

    assert found == {*KNOWN}


@pytest.mark.parametrize(
    "code",
    [
        "part in fault.reason",
        "'token' in refusal",
        "'name taken' in text",
        "'taken' not in str(error)",
        "stage.startswith('group ')",
        "type(error).__name__ == 'KilledWorker'",
        "PATTERN.search(error.message)",
    ],
)
def test_prose_is_found(code: str) -> None:
    """Whatever reads a sentence of an error, a fault or a stage is found."""
    assert [*readings_of_prose(ast.parse(code))]


def readings_of_prose(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions that test the words of a sentence."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left, [ast.In() | ast.NotIn()], [text]):
                if is_sentence(text) or has_words(left):
                    yield node
            case ast.Compare(ast.Attribute(_, "__name__"), _, [ast.Constant(str())]):
                yield node
            case ast.Call(ast.Attribute(text, name), [part, *_]) if name in READINGS:
                if is_sentence(text) or has_words(part):
                    yield node
            case ast.Call(ast.Attribute(_, name), [*parts]) if name in SEARCHES:
                if any(map(is_sentence, parts)):
                    yield node


def is_sentence(node: ast.expr) -> bool:
    """Return whether an expression is a sentence for people, such as an error's."""
    match node:
        case ast.Attribute(_, name) | ast.Name(name):
            return name in OF_SENTENCES
        case ast.Call(ast.Name("str"), [ast.Name(name)]):
            return name in {"cause", "error", "exc"}
    return False


def has_words(node: ast.expr) -> bool:
    """Return whether an expression holds a part of a sentence."""
    texts = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant))
    return any(isinstance(text, str) and WORDS.search(text) for text in texts)
