"""Styled text is escaped, and its plain text found again, as Rich does."""

from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from referee.games.markup import Span, line, unstyled

TEXTS = st.text(alphabet="ab /\\[]#@=", max_size=12)


@given(st.lists(st.builds(Span, TEXTS, st.just("bold"))))
def test_the_plain_text_of_a_line_is_what_rich_shows(spans: list[Span]) -> None:
    """Styles and escapes go, all else stays."""
    markup = line(spans)

    assert unstyled(markup) == Text.from_markup(markup, emoji=False).plain
    assert unstyled(markup) == "".join(span.text for span in spans).rstrip()
