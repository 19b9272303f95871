"""The protocol page tells an author everything that the code asks for."""

import re
from pathlib import Path

import pytest

from referee.hosting import manifest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "protocol.md").read_text()


def test_the_page_tells_every_key_of_bot_toml(tmp_path: Path) -> None:
    """Its example is accepted, and its table has a row for each key that is taken, and no other."""
    section = PAGE.split("\n## bot.toml\n")[1].split("\n## ")[0]
    (block,) = re.findall(r"^```toml\n(.*?)^```$", section, flags=re.DOTALL | re.MULTILINE)
    (tmp_path / "bot.toml").write_text(block)
    told = re.findall(r"^\| `(\w+)` \| (?:yes|no) \|", section, flags=re.MULTILINE)

    assert manifest.load_manifest(tmp_path).name == "my-bot"
    assert sorted(told) == sorted(manifest.KEYS)
    assert "`COURTYARD_PROTO`" in section


@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_the_messages_promise_no_defaults_of_their_own(game: str) -> None:
    """An absent field is false or 0 on the wire; no comment calls anything else its default."""
    text = (ROOT / "proto" / "courtyard" / "v1" / f"{game}.proto").read_text()

    assert not re.search(r"default\s*(//\s*)?(is\s+)?(true|[1-9])", text, flags=re.IGNORECASE)
