"""A process that the kernel kills for lack of memory is reported as such."""

import pytest

from ladder.model.errors import LadderError
from ladder.runner import child_process
from ladder.runner.child_process import Child


@pytest.mark.parametrize(
    ("before", "now", "words"),
    [
        (2, 3, "it was ended by the kernel (SIGKILL) for lack of memory"),
        (3, 3, "it was ended by SIGKILL"),
        (None, None, "it was ended by SIGKILL"),
    ],
)
def test_how_a_process_ended(
    monkeypatch: pytest.MonkeyPatch, before: int | None, now: int | None, words: str
) -> None:
    """The kernel is named if its count has risen since the process started."""
    monkeypatch.setattr(child_process, "kernel_kills", lambda: before)
    child = Child("it", print).start()
    monkeypatch.setattr(child_process, "kernel_kills", lambda: now)
    child.process.kill()

    with pytest.raises(LadderError) as caught:
        child.receive()

    assert str(caught.value) == words
