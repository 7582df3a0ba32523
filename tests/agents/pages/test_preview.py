"""The preview of a page, and the session's folder."""

from pathlib import Path

import pytest

from loopwright.agents.pages.history import Act, plan_restore
from loopwright.agents.pages.preview import preview_html
from loopwright.agents.pages.returning import carry_out
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.errors import InvalidInput, NotFound
from tests.agents.pages.studio import CSS, SESSION, Studio, page


async def save(studio: Studio, slug: str, html: str) -> None:
    await studio.stores.pages.save(SESSION, slug, html, source="generate")
    Workspace(studio.folder).write_page(slug, html)


async def test_a_preview_stands_on_its_own(studio: Studio) -> None:
    Workspace(studio.folder).write_design_system(CSS)
    await save(studio, "index", page("index", ["menu", "gone"]))
    await save(studio, "menu", page("menu"))
    html = await preview_html(studio.stores, SESSION, studio.folder, "index")
    assert "stylesheet" not in html
    assert CSS.strip() in html
    assert 'href="../menu/preview"' in html
    assert 'href="gone.html"' in html


async def test_an_older_version_and_its_return(studio: Studio) -> None:
    await save(studio, "index", page("index", body="<p>old</p>"))
    await save(studio, "index", page("index", body="<p>new</p>"))
    assert "<p>new</p>" in await preview_html(studio.stores, SESSION, studio.folder, "index")
    assert "<p>old</p>" in await preview_html(studio.stores, SESSION, studio.folder, "index", 1)
    planned = await plan_restore(studio.stores, SESSION, Workspace(studio.folder), "index", 1, None, Act())
    await carry_out(studio.stores, SESSION, Workspace(studio.folder), [planned], Act())
    assert "<p>old</p>" in studio.file("index")


async def test_what_cannot_be_previewed(studio: Studio) -> None:
    with pytest.raises(NotFound, match="There is no page 'index'"):
        await preview_html(studio.stores, SESSION, studio.folder, "index")
    with pytest.raises(InvalidInput):
        await preview_html(studio.stores, SESSION, studio.folder, "../secret")
    await save(studio, "index", page("index"))
    with pytest.raises(NotFound):
        await preview_html(studio.stores, SESSION, studio.folder, "index", 9)


def test_writing_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace(tmp_path)
    workspace.write_page("index", "old")

    def fail(descriptor: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        workspace.write_page("index", "new")
    assert workspace.read_page("index") == "old"
    assert [file.name for file in (tmp_path / "pages").iterdir()] == ["index.html"]


def test_bytes_are_kept_as_they_are(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.write_page("index", "a\r\nb\nü 界\n")
    assert workspace.read_page("index") == "a\r\nb\nü 界\n"
    assert (tmp_path / "pages" / "index.html").read_bytes() == "a\r\nb\nü 界\n".encode()
