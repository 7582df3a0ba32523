"""Product docs: patched in parts, each patch once, with its history."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.stores.database import Database
from loopwright.stores.product_docs import PatchOp, SqlProductDocs
from loopwright.stores.sessions import SqlSessions


@dataclass(frozen=True)
class Patch:
    """A section patch as an agent might model it."""

    name: str
    op: PatchOp
    content: str = ""
    title: str | None = None


@pytest.fixture
async def docs(database: Database, sessions: SqlSessions) -> SqlProductDocs:
    await sessions.create(agent="pages", session_id="s")
    return SqlProductDocs(database)


async def test_nothing_is_there_before_the_first_patch(docs: SqlProductDocs) -> None:
    assert await docs.get("s") is None
    assert await docs.history("s") == []


async def test_sections_are_set_appended_and_removed_in_order(docs: SqlProductDocs) -> None:
    await docs.apply(
        "s",
        [
            Patch("overview", "set", "A bakery.", "Overview"),
            Patch("menu", "append", "- Bread"),
            Patch("menu", "append", "- Cake", "Menu"),
            Patch("drafts", "set", "x"),
        ],
        author="llm",
        idempotency_key="run:1",
        run_id="run",
    )
    doc = await docs.apply(
        "s",
        [Patch("drafts", "remove"), Patch("overview", "set", "A café."), Patch("unknown", "remove")],
        author="user",
        idempotency_key="run:2",
    )
    assert doc == await docs.get("s")
    assert {name: (s.title, s.content, s.updated_by) for name, s in doc.sections.items()} == {
        "overview": ("Overview", "A café.", "user"),
        "menu": ("Menu", "- Bread\n\n- Cake", "llm"),
    }
    assert list(doc.sections) == ["overview", "menu"]
    assert doc.updated_at == doc.sections["overview"].updated_at > doc.sections["menu"].updated_at


async def test_the_history_tells_who_changed_what(docs: SqlProductDocs) -> None:
    await docs.apply(
        "s", [Patch("a", "set", "1"), Patch("b", "set", "2")], author="llm", idempotency_key="1", run_id="r"
    )
    await docs.apply("s", [Patch("a", "append", "3"), Patch("b", "remove")], author="user", idempotency_key="2")
    told = [(p.number, p.section, p.op, p.before, p.after, p.author, p.run_id) for p in await docs.history("s")]
    assert told == [
        (4, "b", "remove", "2", None, "user", None),
        (3, "a", "append", "1", "1\n\n3", "user", None),
        (2, "b", "set", None, "2", "llm", "r"),
        (1, "a", "set", None, "1", "llm", "r"),
    ]
    assert [patch.number for patch in await docs.history("s", section="a")] == [3, 1]
    assert [patch.number for patch in await docs.history("s", limit=1)] == [4]


async def test_the_same_key_applies_once(docs: SqlProductDocs) -> None:
    def again() -> Any:
        return docs.apply(
            "s", [Patch("a", "append", "x"), Patch("b", "append", "y")], author="llm", idempotency_key="k"
        )

    first = await again()
    assert await again() == first
    assert await asyncio.gather(*(again() for _ in range(10))) == [first] * 10
    assert len(await docs.history("s")) == 2
    await docs.apply("s", [Patch("a", "append", "x")], author="llm", idempotency_key="other")
    doc = await docs.get("s")
    assert doc is not None
    assert doc.sections["a"].content == "x\n\nx"


async def test_patches_are_applied_all_or_none(docs: SqlProductDocs) -> None:
    with pytest.raises(InvalidInput, match="zero character"):
        await docs.apply("s", [Patch("a", "set", "fine"), Patch("b", "set", "\x00")], author="llm", idempotency_key="k")
    assert await docs.get("s") is None
    with pytest.raises(InvalidInput, match="201"):
        await docs.apply("s", [Patch("n" * 201, "set", "x")], author="llm", idempotency_key="k")


async def test_patches_at_once_lose_nothing(docs: SqlProductDocs) -> None:
    await asyncio.gather(
        *(docs.apply("s", [Patch("log", "append", f"<{n}>")], author="llm", idempotency_key=str(n)) for n in range(25))
    )
    doc = await docs.get("s")
    assert doc is not None
    assert sorted(doc.sections["log"].content.split("\n\n")) == sorted(f"<{n}>" for n in range(25))
    assert [patch.number for patch in await docs.history("s")] == list(range(25, 0, -1))


async def test_the_project_card_is_replaced(docs: SqlProductDocs) -> None:
    await docs.set_project_card("s", "Project: Bakery")
    await docs.apply("s", [Patch("a", "set", "1")], author="llm", idempotency_key="k")
    await docs.set_project_card("s", "Project: Café")
    doc = await docs.get("s")
    assert doc is not None
    assert (doc.project_card, list(doc.sections)) == ("Project: Café", ["a"])


async def test_an_unknown_session_has_no_doc(docs: SqlProductDocs) -> None:
    with pytest.raises(NotFound):
        await docs.apply("nope", [Patch("a", "set", "1")], author="llm", idempotency_key="k")
    with pytest.raises(NotFound):
        await docs.set_project_card("nope", "x")
