"""Product docs: patched in parts, each patch once, with its history."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from loopwright.agents.pages.store.product_docs import PatchOp, SqlProductDocs
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.stores.database import Database
from loopwright.stores.sessions import SqlSessions


@dataclass(frozen=True)
class Patch:
    """A section patch as an agent might model it."""

    name: str
    op: PatchOp
    content: str = ""
    title: str | None = None
    sources: tuple[str, ...] = ()


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


async def test_merged_sections_become_one_and_their_words_stay_in_the_history(docs: SqlProductDocs) -> None:
    await docs.apply(
        "s",
        [Patch("menu", "set", "- Bread", "Menu"), Patch("prices", "set", "- 2 EUR"), Patch("sizes", "set", "- Large")],
        author="llm",
        idempotency_key="1",
    )
    merge = [Patch("menu", "merge", sources=("prices", "sizes", "sizes", "menu", "unknown"))]
    doc = await docs.apply("s", merge, author="user", idempotency_key="2")
    assert {name: section.content for name, section in doc.sections.items()} == {
        "menu": "- Bread\n\n- 2 EUR\n\n- Large"
    }
    assert doc.sections["menu"].title == "Menu"
    assert [(p.section, p.before, p.after, p.merged_into) for p in (await docs.history("s"))[:3]] == [
        ("menu", "- Bread", "- Bread\n\n- 2 EUR\n\n- Large", None),
        ("sizes", "- Large", None, "menu"),
        ("prices", "- 2 EUR", None, "menu"),
    ]
    assert await docs.apply("s", merge, author="user", idempotency_key="2") == doc


async def test_a_merge_may_say_it_in_other_words_and_make_the_section(docs: SqlProductDocs) -> None:
    await docs.apply("s", [Patch("a", "set", "1"), Patch("b", "set", "2")], author="llm", idempotency_key="1")
    merge = [Patch("both", "merge", "One and two.", "Both", ("a", "b"))]
    doc = await docs.apply("s", merge, author="llm", idempotency_key="2")
    assert {name: (section.title, section.content) for name, section in doc.sections.items()} == {
        "both": ("Both", "One and two.")
    }
    unchanged = await docs.apply("s", [Patch("new", "merge", sources=("gone",))], author="llm", idempotency_key="3")
    assert list(unchanged.sections) == ["both"]


async def test_facts_stand_beside_the_sections_and_are_written_only_when_they_change(docs: SqlProductDocs) -> None:
    assert await docs.keep_facts("s", {"pages.menu": "- Title: Menu", "pages.cart": "- Title: Cart"}, run_id="r") == (
        "pages.menu",
        "pages.cart",
    )
    assert await docs.keep_facts("s", {"pages.menu": "- Title: Menu"}) == ()
    await docs.apply("s", [Patch("pages.menu", "set", "Prices in EUR.")], author="user", idempotency_key="k")
    assert await docs.keep_facts("s", {"pages.menu": "- Title: Our menu", "pages.cart": None}) == (
        "pages.menu",
        "pages.cart",
    )
    doc = await docs.get("s")
    assert doc is not None
    assert {name: facts.content for name, facts in doc.facts.items()} == {"pages.menu": "- Title: Our menu"}
    assert [section.content for section in doc.sections.values()] == ["Prices in EUR."]
    told = [(p.section, p.op, p.before, p.after, p.author, p.run_id) for p in await docs.history("s")]
    assert told == [
        ("pages.cart", "facts", "- Title: Cart", None, "controller", None),
        ("pages.menu", "facts", "- Title: Menu", "- Title: Our menu", "controller", None),
        ("pages.menu", "set", None, "Prices in EUR.", "user", None),
        ("pages.cart", "facts", None, "- Title: Cart", "controller", "r"),
        ("pages.menu", "facts", None, "- Title: Menu", "controller", "r"),
    ]
    with pytest.raises(NotFound):
        await docs.keep_facts("nope", {"pages.menu": "x"})
