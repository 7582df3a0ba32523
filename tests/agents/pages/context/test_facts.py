"""The facts of the product doc follow every change, without a model, and leave alone what others wrote."""

from typing import Any

from loopwright.agents.pages.context.card import DESIGN_SYSTEM, design_facts, page_facts, refresh_facts
from loopwright.agents.pages.contracts import SectionPatch
from loopwright.agents.pages.history import Act, plan_restore
from loopwright.agents.pages.returning import carry_out
from loopwright.agents.pages.workspace import Workspace
from tests.agents.pages.studio import CSS, SESSION, Studio, fenced, page
from tests.support.page_scripts import SHOP_SCRIPTS


async def facts_of(studio: Studio, name: str = "pages.menu") -> str:
    doc = await studio.stores.product_docs.get(SESSION)
    assert doc is not None
    return doc.facts[name].content if name in doc.facts else ""


async def history(studio: Studio) -> list[tuple[Any, ...]]:
    patches = await studio.stores.product_docs.history(SESSION)
    return [(patch.author, patch.op, patch.section, patch.run_id) for patch in patches]


async def make_menu(studio: Studio) -> None:
    Workspace(studio.folder).write_design_system(CSS)
    arguments = {"slug": "menu", "title": "Menu", "description": "All drinks with prices."}
    made = await studio.call("generate_page", arguments, fenced("html", page("menu")))
    assert made.success, made.output


async def edit_menu(studio: Studio, old: str, new: str, message: str) -> None:
    block = f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE"
    arguments = {"slug": "menu", "edit_instructions": message}
    edited = await studio.call("edit_page", arguments, block, user_message=message)
    assert edited.success, edited.output


def test_what_a_page_says_of_itself() -> None:
    html = page(
        "menu",
        ["index", "cart", "menu"],
        body=f'<h2>Coffee</h2><a href="https://maps.example/x">Map</a><form><input><button>Go</button></form>'
        f"{SHOP_SCRIPTS}",
    )
    assert page_facts("menu", html, "All drinks\nwith prices.", []).splitlines() == [
        "- Title: Menu",
        "- Purpose: All drinks with prices.",
        "- Headings: Menu; Coffee",
        "- Has: 1 form, 1 field, 1 button",
        "- Leads to: index, cart, thanks",
        "- Leads outside: https://maps.example/x",
        "- Keeps in localStorage: theme, bean:visits, order-…, shop:cart, shop:favourites",
    ]
    assert "Purpose" not in page_facts("menu", html, None, [])


def test_a_page_without_anything_and_a_huge_one_have_short_facts() -> None:
    assert page_facts("x", "", "", []) == ""
    crowded = "".join(f'<h2>{"word " * 80}{n}</h2><a href="page{n}.html">x</a>' for n in range(90))
    assert len(page_facts("x", f"<title>{'t' * 900}</title>{crowded}", "p" * 900, [])) < 2_500


def test_the_design_system_names_its_brand_colours_first() -> None:
    assert design_facts("") == ""
    css = ":root { --color-text: #111111; --color-brand: #0a7d5a; } [data-mode=dark] { --color-text: #eeeeee; }"
    first = design_facts(css + " body { color: var(--color-text); background: var(--color-brand); }").splitlines()
    assert first[0] == "- Colours: --color-brand #0a7d5a, --color-text #111111 (dark: #eeeeee)"
    assert first[1] == "- Schemes: light and dark"


async def test_the_facts_follow_new_pages_edits_and_ways_back(studio: Studio) -> None:
    await make_menu(studio)
    assert "- Title: Menu\n- Purpose: All drinks with prices.\n- Headings: Menu" in await facts_of(studio)
    await edit_menu(studio, "<h1>Menu</h1>", "<h1>What we pour</h1>", "call the heading What we pour")
    edited = await facts_of(studio)
    assert "- Headings: What we pour\n" in edited
    assert "“call the heading What we pour” (P" in edited
    assert "- Purpose: All drinks with prices." in edited
    act, workspace = Act.by_user(), Workspace(studio.folder)
    planned = await plan_restore(studio.stores, SESSION, workspace, "menu", 1, None, act)
    await carry_out(studio.stores, SESSION, workspace, [planned], act)
    assert "- Headings: Menu" in await facts_of(studio)
    assert "What we pour" not in await facts_of(studio)
    runs = {(author, op, run) for author, op, _, run in await history(studio)}
    assert runs == {("controller", "facts", "run"), ("controller", "facts", None)}


async def test_what_people_and_models_wrote_is_never_touched(studio: Studio) -> None:
    await make_menu(studio)
    docs = studio.stores.product_docs
    written = SectionPatch(name="pages.menu", title="Menu page", content="Only what can be drunk standing.")
    await docs.apply(SESSION, [written], author="user", idempotency_key="k")
    await edit_menu(studio, "<h1>Menu</h1>", "<h1>Drinks</h1>", "call the heading Drinks")
    doc = await docs.get(SESSION)
    assert doc is not None
    section = doc.sections["pages.menu"]
    assert (section.content, section.updated_by) == ("Only what can be drunk standing.", "user")
    assert "Purpose" not in await facts_of(studio)  # it is theirs to say now


async def test_nothing_is_written_where_nothing_changed(studio: Studio) -> None:
    await make_menu(studio)
    workspace = Workspace(studio.folder)
    await refresh_facts(studio.stores, SESSION, workspace)
    before = await history(studio)
    assert await refresh_facts(studio.stores, SESSION, workspace) == ()
    assert await history(studio) == before
    workspace.write_page("menu", page("menu", title="By hand"))
    assert await refresh_facts(studio.stores, SESSION, workspace) == ("pages.menu",)
    assert "- Title: By hand" in await facts_of(studio)


async def test_tokens_and_lost_pages_are_followed(studio: Studio) -> None:
    await make_menu(studio)
    changed = await studio.call("change_tokens", {"changes": {"--brand": "#123456"}})
    assert changed.success, changed.output
    assert "--brand #123456" in await facts_of(studio, DESIGN_SYSTEM)
    await studio.stores.product_docs.keep_facts(SESSION, {"pages.gone": "- Title: Gone"})
    assert await refresh_facts(studio.stores, SESSION, Workspace(studio.folder)) == ("pages.gone",)
    assert await facts_of(studio, "pages.gone") == ""


async def test_a_deleted_page_has_no_facts_and_those_that_led_to_it_have_new_ones(studio: Studio) -> None:
    workspace = Workspace(studio.folder)
    for slug, links in (("index", ["menu"]), ("menu", ["index"])):
        html = page(slug, links)
        await studio.stores.pages.save(SESSION, slug, html, source="generate", title=slug)
        workspace.write_page(slug, html)
    await refresh_facts(studio.stores, SESSION, workspace)
    assert "- Leads to: menu" in await facts_of(studio, "pages.index")
    deleted = await studio.call("delete_page", {"slug": "menu", "reason": "no menu"})
    assert deleted.success, deleted.output
    assert await facts_of(studio) == ""
    assert "Leads to" not in await facts_of(studio, "pages.index")
    before = {patch.section: patch.before for patch in await studio.stores.product_docs.history(SESSION, limit=2)}
    assert "- Title: Menu" in (before["pages.menu"] or "")


async def test_the_prompt_has_the_facts_of_the_pages_that_a_task_concerns(studio: Studio) -> None:
    await make_menu(studio)
    run = studio.start(["Done."], "make the menu page green")
    await studio.play(run)
    system = "\n".join(message.content for message in run.model.requests[0].messages)
    assert "### pages.menu · as it is now\n- Title: Menu\n" in system
    other = studio.start(["Done."], "a larger logo")
    await studio.play(other)
    told = "\n".join(message.content for message in other.model.requests[0].messages)
    assert "· as it is now\n" not in told
