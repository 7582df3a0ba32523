"""What the model sees, as files: a change of a schema or a prompt is a visible diff.

To take new snapshots: LOOPWRIGHT_TEST_SNAPSHOTS=write python -m pytest tests/agents/pages/test_snapshots.py
"""

import json
import os
import re
from pathlib import Path

import pytest

from loopwright.agents.pages.contracts import SectionPatch
from loopwright.agents.pages.spec import AGENT as PAGES
from loopwright.kernel.prompts import PromptRepository
from tests.agents.pages.studio import CSS, SESSION, Studio, page

SNAPSHOTS = Path(__file__).parent / "snapshots"
NESTED = ("design-system", "generate-page", "edit-page")


def compare(name: str, seen: str) -> None:
    """Compare with the stored snapshot, or store it when that is asked for."""
    file = SNAPSHOTS / name
    if os.environ.get("LOOPWRIGHT_TEST_SNAPSHOTS") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_text(seen, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == seen, f"{file} differs; see this module's docstring"


@pytest.mark.parametrize("tool", PAGES.tools, ids=lambda tool: tool.name)
def test_tool_schemas(tool: object) -> None:
    name = tool.name  # type: ignore[attr-defined]
    schema = tool.get_openai_schema()  # type: ignore[attr-defined]
    assert schema["function"]["name"] == name
    compare(f"tool-{name}.json", json.dumps(schema, indent=2, ensure_ascii=False) + "\n")


def test_no_schema_bounds_a_long_text() -> None:
    """Endpoints that make a grammar of a schema refuse repetitions beyond 2,000."""
    schemas = json.dumps(PAGES.registry().get_openai_tools())
    assert all(int(bound) <= 2_000 for bound in re.findall(r'"maxLength": (\d+)', schemas))


@pytest.mark.parametrize("name", NESTED)
def test_nested_prompts(name: str) -> None:
    compare(f"prompt-{name}.md", PromptRepository({"pages": PAGES.prompts}).render(f"pages/{name}") + "\n")


async def first_prompt(studio: Studio, message: str, *replies: str, **options: object) -> str:
    run = studio.start(replies, message, dict(options))
    await studio.play(run)
    return run.model.requests[0].messages[0].content + "\n"


async def test_the_prompt_of_a_new_project(studio: Studio) -> None:
    compare("prompt-new-project.md", await first_prompt(studio, "something with coffee", "Hi.", "Hi."))


async def prepare(studio: Studio, *slugs: str) -> None:
    await studio.call("analyze_brief", {"user_request": "a coffee shop app. Pages: Home, Menu, Cart"})
    (studio.folder / "design-system.css").write_text(CSS)
    for slug in slugs:
        html = page(slug, slugs, body="<h2>Today</h2>")
        await studio.stores.pages.save(SESSION, slug, html, source="generate", title=slug.capitalize())
    patches = [
        SectionPatch(name="overview", title="Overview", content="A small coffee shop."),
        SectionPatch(name="pages.menu", title="Menu page", content="Prices in EUR."),
        SectionPatch(name="contact_info", title="Contact", content="Main Street 1"),
    ]
    await studio.stores.product_docs.apply(SESSION, patches, author="llm", idempotency_key="k")


async def test_the_prompt_of_a_refinement(studio: Studio) -> None:
    await prepare(studio, "index")
    compare("prompt-refinement.md", await first_prompt(studio, "make the header green", "Done."))


async def test_the_prompt_of_several_pages(studio: Studio) -> None:
    await prepare(studio, "index", "menu")
    seen = await first_prompt(studio, "make @menu nicer", "Done.", generate_now=True, images=["uploads/look.png"])
    compare("prompt-multi-page.md", seen)


def test_no_snapshot_is_left_over() -> None:
    wanted = {f"tool-{tool.name}.json" for tool in PAGES.tools}
    wanted |= {f"prompt-{name}.md" for name in (*NESTED, "new-project", "refinement", "multi-page")}
    assert {file.name for file in SNAPSHOTS.iterdir()} == wanted
