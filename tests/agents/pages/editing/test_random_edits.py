"""200 random edits of generated pages: what an edit does not name is in the new page, unchanged and at its place.

The judge is tests/agents/pages/editing/oracle.py, which shares no code with the product's own proof.
"""

import random
import re
from collections import Counter

import pytest

from loopwright.agents.pages.context.relevance import load_project
from loopwright.agents.pages.offline.playbook import PagesPlaybook
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.agents.pages.promises.keeping import load_app, load_promises
from loopwright.agents.pages.promises.replay import check_promises
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.offline import OfflineRequest
from loopwright.kernel.ports import ModelRequest
from tests.agents.pages.editing import oracle
from tests.agents.pages.editing.requests import random_request
from tests.agents.pages.studio import SESSION, Studio, task_of

APPS = {
    "food_and_drink": {"rewards": "Rewards", "reservations": "Reserve"},
    "booking": {"index": "Home", "profile": "Profile"},
    "landing": {"index": "Home"},
    "portfolio": {"index": "Home", "contact": "Contact"},
    "invitation": {"index": "Home"},
}
EDITS = 200


def offline(request: ModelRequest) -> str:
    """The offline model in the place of a model that a tool asks."""
    return PagesPlaybook().answer(OfflineRequest(task_of(request), tuple(request.messages), ())).text


async def with_app(studio: Studio, product_type: str) -> list[str]:
    """The pages of an app, stored as an earlier run has made them."""
    titles = APPS[product_type]
    sitemap = tuple(SitemapEntry(slug, title) for slug, title in titles.items())
    Workspace(studio.folder).write_design_system(render_design_system(product_type))
    for slug, title in titles.items():
        html = render_page(PageRequest(slug, title, "", product_type, "Sample", sitemap))
        await studio.stores.pages.save(
            SESSION, slug, html, source="generate", title=title, run_id="first", call_id=slug
        )
        Workspace(studio.folder).write_page(slug, html)
    return list(titles)


async def promises_hold(studio: Studio) -> None:
    """Every promise that counts holds on the pages as they are."""
    project = await load_project(studio.stores, SESSION, Workspace(studio.folder))
    app = await load_app(studio.stores, SESSION, project)
    report = await check_promises(await load_promises(studio.stores, SESSION), app)
    assert not report.broken, report.summary()


async def edit_at_random(studio: Studio, random_: random.Random, slug: str) -> str:
    """One random edit, judged; gives what became of it."""
    before = studio.file(slug)
    headings = re.findall(r"<h[23][^>]*>([A-Z][^<>&“”\"']{2,30})</h[23]>", before)
    request = random_request(random_, headings)
    arguments = {"slug": slug, "edit_instructions": request}
    result = await studio.call("edit_page", arguments, offline, user_message=request, may_ask_again=True)
    broken = (result.artifacts or {}).get("broken_promises", ())
    if broken:  # refused, naming the promise; the user takes it back, and the edit goes through
        assert studio.file(slug) == before, request
        for promise in broken:
            assert promise["promise_id"] in (result.error or "")
            await studio.stores.promises.withdraw(SESSION, int(promise["promise_id"][1:]), request)
        result = await studio.call("edit_page", arguments, offline, user_message=request, may_ask_again=True)
    after = studio.file(slug)
    if not result.success:
        assert after == before, request
        assert "did not work" in (result.error or ""), result.output
        return "refused"
    assert result.artifacts is not None
    if result.artifacts.get("changed") is False:
        assert after == before, request
        return "nothing to do"
    preserved = result.artifacts["preserved"]
    assert preserved["share"] == 1.0
    assert f"{preserved['untouched']} of {preserved['subtrees']} subtrees untouched" in result.output
    assert len(oracle.read(before).walk()) - 1 == preserved["subtrees"]
    kept = oracle.untouched(before, after, preserved["changed"])
    assert kept >= preserved["untouched"], request
    assert after != before
    return "changed"


@pytest.mark.parametrize("product_type", APPS)
async def test_random_edits_preserve_the_rest(studio: Studio, product_type: str) -> None:
    random_ = random.Random(f"edits of {product_type}")
    slugs = await with_app(studio, product_type)
    outcomes: Counter[str] = Counter()
    for number in range(EDITS // len(APPS)):
        outcomes[await edit_at_random(studio, random_, random_.choice(slugs))] += 1
        if number % 10 == 9:
            await promises_hold(studio)
    await promises_hold(studio)
    assert outcomes["changed"] >= 10, outcomes
    assert outcomes["refused"] <= 2, outcomes
