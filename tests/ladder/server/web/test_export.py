"""A ladder as files."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.model.errors import LadderError
from ladder.runner.voiding import void
from ladder.server.public.reader import PublicReader
from ladder.server.web.export import MEMORY, Exported, export, steps
from ladder.server.web.site import Site
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder


def write(site: Site, folder: Path, workers: int = 1) -> Exported:
    """Export a site, and check that its progress adds up."""
    done: list[None] = []
    exported = export(site, folder, workers, lambda: done.append(None))
    assert len(done) == steps(site)
    return exported


def site_of(ladder: Ladder) -> Site:
    """Return the pages of a ladder as it is now."""
    source = PublicReader(ladder)
    return Site([(source.snapshot(), source)], live=False)


@pytest.fixture
def small(few: Path) -> Iterator[Site]:
    """The site of that ladder."""
    with Ladder.open(Home(few)) as ladder:
        yield site_of(ladder)


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder but the memory."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MEMORY
    }


@pytest.mark.costly
def test_every_link_leads_somewhere(exported: Path) -> None:
    """Every address in every page is relative, and its file exists."""
    for name in contents(exported):
        if name.endswith(".html"):
            page = exported / name
            found = re.findall(r'\s(?:href|src)="([^"#]+)"', page.read_text())
            assert found
            lost = [link for link in found if not (page.parent / link).is_file()]
            assert lost == [], name


@pytest.mark.costly
def test_again_writes_nothing(small: Site, tmp_path: Path) -> None:
    """A second export of the same state changes no file."""
    first = write(small, tmp_path / "site")
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "site").rglob("*.html")}
    second = write(small, tmp_path / "site")
    assert (first.written, second.written, second.removed) == (first.files, 0, 0)
    assert {p: p.stat().st_mtime_ns for p in before} == before


@pytest.mark.costly
def test_a_changed_file_is_written_again(small: Site, tmp_path: Path) -> None:
    """An export restores changed and missing files, but not changed pages of matches."""
    write(small, tmp_path)
    was = contents(tmp_path)
    (tmp_path / "index.html").write_text("something else")
    next((tmp_path / "matches").iterdir()).unlink()
    assert write(small, tmp_path).written == 2
    assert contents(tmp_path) == was


@pytest.mark.costly
def test_what_is_no_page_any_more_is_removed(few: Path, tmp_path: Path) -> None:
    """Pages of an earlier state go, also as links; files of others stay."""
    shutil.copytree(few, tmp_path / "ladder")
    site = tmp_path / "site"
    with Ladder.open(Home(tmp_path / "ladder")) as ladder:
        before = site_of(ladder)
        write(before, site)
        (site / "CNAME").write_text("mine")
        gone = before.parts[0].snapshot.finished[0]
        void(ladder, [gone], "it should not count")
        assert write(site_of(ladder), site).removed == 1
        write(site_of(ladder), tmp_path / "anew")
    assert not (site / "matches" / f"{gone.match_id}.html").exists()
    assert (site / "CNAME").read_text() == "mine"
    assert contents(tmp_path / "anew") == {
        name: page for name, page in contents(site).items() if name != "CNAME"
    }


@pytest.mark.costly
def test_an_interrupted_export_is_mended(small: Site, tmp_path: Path) -> None:
    """The next export repairs an interrupted one."""
    write(small, tmp_path / "whole")

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(small, tmp_path / "site", 1, stop)
    write(small, tmp_path / "site")
    assert contents(tmp_path / "site") == contents(tmp_path / "whole")


@pytest.mark.costly
def test_several_processes_write_the_same(
    small: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pages do not depend on the number of processes."""
    write(small, tmp_path / "one")
    monkeypatch.setattr("ladder.server.web.export._FEW", 3)
    monkeypatch.setattr("ladder.server.web.export._TOGETHER", 2)
    write(small, tmp_path / "two", workers=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


@pytest.mark.costly
def test_a_folder_with_something_else_is_refused(small: Site, tmp_path: Path) -> None:
    """An export refuses a folder with other files."""
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(LadderError, match="not empty and holds no earlier export"):
        write(small, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("memory", ["", "[]", "{}", '{"files": 1, "program": ""}'])
def test_a_damaged_memory_is_told(memory: str, small: Site, tmp_path: Path) -> None:
    """An unreadable memory is an error."""
    (tmp_path / MEMORY).write_text(memory)
    with pytest.raises(LadderError, match="damaged"):
        write(small, tmp_path)


def test_a_folder_that_cannot_be_written_is_told(small: Site, tmp_path: Path) -> None:
    """A path that is a file fails in one line."""
    (tmp_path / "file").touch()
    with pytest.raises(LadderError, match="file"):
        write(small, tmp_path / "file")
