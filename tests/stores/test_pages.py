"""Pages and their versions: stored once, restored, pinned, and let go."""

import asyncio

import pytest

from loopwright.agents.pages.store.pages import SqlPages
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.stores.database import Database
from loopwright.stores.sessions import SqlSessions


@pytest.fixture
async def pages(database: Database, sessions: SqlSessions) -> SqlPages:
    for session_id in ("s", "t"):
        await sessions.create(agent="pages", session_id=session_id)
    return SqlPages(database)


async def kept(pages: SqlPages, slug: str = "index") -> list[int]:
    """The versions whose HTML can still be read, checked against what the list of versions says."""
    versions = await pages.versions("s", slug)
    for record in versions:
        if record.released:
            with pytest.raises(Conflict, match="released"):
                await pages.html("s", slug, record.version)
        else:
            assert await pages.html("s", slug, record.version) == f"<p>{record.version}</p>"
    return [record.version for record in versions if not record.released]


async def test_a_page_is_stored_and_read_back(pages: SqlPages) -> None:
    html = "<!doctype html><h1>Café ☕</h1>"
    saved = await pages.save(
        "s", "index", html, source="generate", title="Home", description="first", run_id="r", call_id="c"
    )
    assert (saved.version, saved.source, saved.size_bytes) == (1, "generate", len(html.encode()))
    assert (saved.current, saved.pinned, saved.released, saved.run_id, saved.call_id) == (True, False, False, "r", "c")
    page = await pages.get("s", "index")
    assert (page.title, page.position, page.current_version, page.size_bytes) == ("Home", 0, 1, len(html.encode()))
    assert await pages.html("s", "index") == html


async def test_pages_keep_their_order_and_belong_to_their_session(pages: SqlPages) -> None:
    for slug in ("index", "menu", "about"):
        await pages.save("s", slug, slug, source="generate", title=slug.title())
    await pages.save("t", "index", "other", source="generate")
    await pages.save("s", "menu", "menu, edited", source="edit")
    listed = await pages.of_session("s")
    assert [(p.slug, p.title, p.position, p.current_version, p.size_bytes) for p in listed] == [
        ("index", "Index", 0, 1, 5),
        ("menu", "Menu", 1, 2, 12),
        ("about", "About", 2, 1, 5),
    ]
    assert listed[1].updated_at > listed[2].updated_at
    assert await pages.html("t", "index") == "other"
    assert [page.title for page in await pages.of_session("t")] == ["index"]


async def test_the_same_call_stores_once(pages: SqlPages) -> None:
    first = await pages.save("s", "index", "one", source="generate", run_id="r", call_id="c")
    again = await pages.save("s", "index", "something else", source="generate", run_id="r", call_id="c")
    assert again == first
    other = await pages.save("s", "menu", "menu", source="generate", run_id="r", call_id="c")
    assert (other.slug, other.version) == ("menu", 1)
    next_call = await pages.save("s", "index", "two", source="edit", run_id="r", call_id="d")
    assert next_call.version == 2
    replay = await pages.save("s", "index", "one", source="generate", run_id="r", call_id="c")
    assert (replay.version, replay.current) == (1, False)
    assert await pages.html("s", "index") == "two"


async def test_saving_at_once_numbers_without_holes(pages: SqlPages) -> None:
    saved = await asyncio.gather(*(pages.save("s", "index", str(n), source="edit") for n in range(12)))
    assert sorted(record.version for record in saved) == list(range(1, 13))
    page = await pages.get("s", "index")
    assert page.current_version == 12
    last = next(n for n, record in enumerate(saved) if record.version == 12)
    assert await pages.html("s", "index") == str(last)


async def test_the_newest_and_the_pinned_versions_keep_their_html(pages: SqlPages) -> None:
    for version in range(1, 4):
        await pages.save("s", "index", f"<p>{version}</p>", source="edit")
    await pages.pin("s", "index", 1)
    await pages.pin("s", "index", 2)
    for version in range(4, 13):
        await pages.save("s", "index", f"<p>{version}</p>", source="edit")
    assert await kept(pages) == [12, 11, 10, 9, 8, 7, 2, 1]
    with pytest.raises(Conflict, match="2 pinned"):
        await pages.pin("s", "index", 9)
    with pytest.raises(Conflict, match="released"):
        await pages.pin("s", "index", 3)
    unpinned = await pages.pin("s", "index", 2, pinned=False)
    assert (unpinned.pinned, unpinned.released) == (False, True)
    assert (await pages.pin("s", "index", 8)).pinned
    assert (await pages.pin("s", "index", 8)).pinned
    assert await kept(pages) == [12, 11, 10, 9, 8, 7, 1]


async def test_restoring_makes_a_new_version(pages: SqlPages) -> None:
    for html in ("one", "two", "three"):
        await pages.save("s", "index", html, source="edit")
    restored = await pages.restore("s", "index", 1, idempotency_key="k")
    assert (restored.version, restored.source, restored.current) == (4, "restore", True)
    assert await pages.html("s", "index") == "one"
    assert await pages.restore("s", "index", 1, idempotency_key="k") == restored
    assert (await pages.restore("s", "index", 2)).version == 5
    assert [record.version for record in await pages.versions("s", "index")] == [5, 4, 3, 2, 1]


async def test_what_is_not_there_is_not_found(pages: SqlPages) -> None:
    await pages.save("s", "index", "one", source="generate")
    for call in (
        pages.get("s", "menu"),
        pages.get("nope", "index"),
        pages.html("s", "../../etc/passwd"),
        pages.html("s", "index", 2),
        pages.versions("s", "'; DROP TABLE pages; --"),
        pages.restore("s", "index", 7),
        pages.pin("s", "index", 7),
        pages.save("nope", "index", "x", source="generate"),
    ):
        with pytest.raises(NotFound):
            await call
    assert await pages.of_session("nope") == []


async def test_what_cannot_be_stored_is_refused(pages: SqlPages) -> None:
    for slug, html in (("index", "<p>\x00</p>"), ("s" * 101, "<p></p>"), ("a\x00", "<p></p>")):
        with pytest.raises(InvalidInput):
            await pages.save("s", slug, html, source="generate")
    assert await pages.of_session("s") == []


async def test_a_deleted_page_is_listed_no_more_and_comes_back_with_its_next_text(pages: SqlPages) -> None:
    await pages.save("s", "index", "home", source="generate")
    await pages.save("s", "cart", "cart", source="generate", title="Cart")
    gone = await pages.save("s", "cart", None, source="delete", run_id="r", call_id="c")
    assert (gone.version, gone.deleted, gone.released, gone.size_bytes) == (2, True, False, 0)
    assert (await pages.save("s", "cart", None, source="delete", run_id="r", call_id="c")).version == 2
    assert [page.slug for page in await pages.of_session("s")] == ["index"]
    assert [(page.slug, page.deleted) for page in await pages.of_session("s", deleted=True)][1] == ("cart", True)
    assert await pages.html("s", "cart", 1) == "cart"
    for asked in (pages.get("s", "cart"), pages.html("s", "cart"), pages.html("s", "cart", 2)):
        with pytest.raises(NotFound, match="deleted"):
            await asked
    with pytest.raises(NotFound, match="deleted"):
        await pages.save("s", "cart", None, source="delete")
    with pytest.raises(NotFound, match="no page"):
        await pages.save("s", "nowhere", None, source="delete")
    await pages.save("s", "cart", "cart again", source="undo")
    assert (await pages.get("s", "cart")).title == "Cart"
    assert [version.deleted for version in await pages.versions("s", "cart")] == [False, True, False]


async def test_a_deletion_takes_no_place_among_the_texts_that_are_kept(pages: SqlPages) -> None:
    for number in range(1, 7):
        await pages.save("s", "index", f"<p>{number}</p>", source="edit")
    await pages.save("s", "index", None, source="delete")
    released = [version.version for version in await pages.versions("s", "index") if version.released]
    assert released == [1]
