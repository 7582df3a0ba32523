"""Lists, their states and their figures in a browser: what is entered shows, states change, figures follow."""

from collections.abc import Mapping

from loopwright.agents.pages.offline.studio.archetypes import plan_app
from loopwright.agents.pages.offline.studio.contracts import PageRequest, SitemapEntry
from loopwright.agents.pages.offline.studio.design_system import render_design_system
from loopwright.agents.pages.offline.studio.rendering import render_page
from loopwright.agents.pages.runtime import runtime_files
from tests.support.shared_browser import shared_browser

BRIEF = (
    "An app for the pond. Anglers log each catch with the date and the weight. Show the total weight this month. "
    "The warden can approve a visit."
)


def files() -> Mapping[str, str]:
    plan = plan_app(BRIEF)
    sitemap = tuple(SitemapEntry(page.slug, page.title) for page in plan.pages)
    made = {"design-system.css": render_design_system(plan.product_type, app_name=plan.app_name, brief=BRIEF)}
    for page in plan.pages:
        request = PageRequest(
            page.slug, page.title, page.description, plan.product_type, plan.app_name, sitemap, brief=BRIEF
        )
        html = render_page(request)
        made[f"pages/{page.slug}.html"] = html
        made |= {f"runtime/{path}": text for path, text in runtime_files(html).items()}
    return made


def page_with(made: Mapping[str, str], text: str) -> str:
    return next(path for path, html in made.items() if text in html and path.startswith("pages/"))


async def test_what_is_sent_stands_first_in_its_list_and_the_figure_follows() -> None:
    made = files()
    enter = """() => {
      const form = document.querySelector("[data-own-form]"), figure = document.querySelector("main [data-figure]");
      const before = Number(figure.textContent.split(" ")[0]);
      form.querySelector("[name=name]").value = "Ada Fell";
      form.querySelector("[name=date]").value = new Date().toLocaleDateString("sv");
      form.querySelector("[type=number]").value = "100";
      form.querySelector("button[type=submit]").click();
      const row = document.querySelector("[data-records] [data-list] h3").textContent;
      return [row, Number(figure.textContent.split(" ")[0]) - before, form.querySelector("button").textContent];
    }"""
    async with shared_browser().page(made, page_with(made, "data-own-form")) as page:
        assert await page.evaluate(enter) == ["Ada Fell", 100, "Log a catch"]


async def test_a_decision_changes_the_state_and_the_list_is_filtered_by_it() -> None:
    made = files()
    decide = """() => {
      const shown = () => [...document.querySelectorAll("[data-list] .tag")].map((each) => each.textContent);
      const before = shown().filter((each) => each === "Approved").length;
      [...document.querySelectorAll("[data-next]")].find((each) => each.textContent.startsWith("Approve")).click();
      const after = shown().filter((each) => each === "Approved").length;
      document.querySelector('[data-only="Approved"]').click();
      return [after - before, [...new Set(shown())]];
    }"""
    async with shared_browser().page(made, page_with(made, "data-only")) as page:
        assert await page.evaluate(decide) == [1, ["Approved"]]
