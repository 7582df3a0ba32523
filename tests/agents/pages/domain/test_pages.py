"""Pages made of what a brief says, in a browser: they show it, keep what is ticked and sent, and calculate."""

from collections.abc import Mapping

import pytest

from loopwright.agents.pages.compliance.validate import validate_page
from loopwright.agents.pages.contracts import PageEntry
from loopwright.agents.pages.design.check import standard_sheet
from loopwright.agents.pages.domain.building import look_of, named
from loopwright.agents.pages.domain.entering import Row, read_calculation
from loopwright.agents.pages.domain.facts import left_out
from loopwright.agents.pages.domain.formulas import Calculation, checked_formula, usual_formula
from loopwright.agents.pages.domain.outline import outline_of
from loopwright.agents.pages.domain.rendering import render_page
from loopwright.agents.pages.domain.sections import outlined
from loopwright.agents.pages.tools.writing import frame_of
from tests.support.shared_browser import shared_browser

PAGE = "pages/index.html"
CHECKLIST = "A one-page list for the boat: life jacket, rope. Each thing can be ticked off. Form with name and e-mail."
SPLIT = "One page: I type the bill, choose 10 or 20 percent and the number of guests, and see what each guest pays."


def files_of(brief: str, lang: str = "en") -> Mapping[str, str]:
    outline, look = outline_of(brief), look_of(brief, outline_of(brief))
    asked = read_calculation(outline.calculation)
    made = checked_formula(usual_formula(asked, brief), asked, brief) if outline.calculation else None
    calculation = made if isinstance(made, Calculation) else None
    title = named("", outline, brief, lang)
    entry = PageEntry(slug="index", title=title)
    frame = frame_of(entry, [entry], app_name=title, lang=lang)
    html = render_page(
        frame, outlined(outline, calculation, asked.notes, lang, title), calculation.script if calculation else ""
    )
    sheet = standard_sheet(look.colours, dark=look.dark, ground=look.ground, headings=look.headings).css
    report = validate_page(html, css=sheet, slug="index")
    assert report.valid, report.for_model()
    return {PAGE: html, "design-system.css": sheet}


@pytest.mark.parametrize(
    ("brief", "lang", "shown"),
    [
        (
            "A one-page menu for the kiosk Blue Heron: soup 4.50, mint tea 2.20. Open Friday, 11:00 to 19:30.",
            "en",
            ["soup 4.50", "mint tea 2.20", "Friday, 11:00 to 19:30", "Blue Heron"],
        ),
        (
            "Eine Seite für das Fest der Kita Ute am 28. Juni um 14:30 im Stadtpark. Anmeldung mit Name, Alter. Gelb.",
            "de",
            ["28. Juni um 14:30 im Stadtpark", "Kita Ute", "Name", "Alter"],
        ),
        ("Putzplan auf einer Seite: Küche am Montag, Bad am Mittwoch.", "de", ["Küche Montag", "Bad Mittwoch"]),
    ],
)
async def test_what_the_brief_names_is_seen(brief: str, lang: str, shown: list[str]) -> None:
    async with shared_browser().page(files_of(brief, lang), PAGE) as page:
        text = await page.evaluate("() => document.body.innerText.replace(/\\s+/g, ' ')")
    assert [each for each in shown if each.lower() not in text.lower()] == []


async def test_what_is_sent_and_ticked_is_there_after_a_reload() -> None:
    look = "() => [document.querySelectorAll(':checked').length, document.querySelectorAll('#form-1 li').length]"
    act = """() => {
      document.querySelector("[type=checkbox]").click();
      document.querySelector("[type=email]").value = "mia@example.org";
      document.querySelector("form button").click();
      return document.querySelector("[role=status]").textContent;
    }"""
    async with shared_browser().page(files_of(CHECKLIST), PAGE) as page:
        assert await page.evaluate(look) == [0, 0]
        assert await page.evaluate(act) == "Kept on this device"
        await page.open(PAGE)
        assert await page.evaluate(look) == [1, 1]


async def test_a_calculator_calculates() -> None:
    enter = """([bill, percent, guests]) => {
      const [one, two] = document.querySelectorAll("input[type=number]");
      one.value = bill; two.value = guests; document.querySelector("select").value = percent;
      document.querySelector("form").dispatchEvent(new Event("input"));
      return document.querySelector("output").textContent;
    }"""
    async with shared_browser().page(files_of(SPLIT), PAGE) as page:
        found = [await page.evaluate(enter, each) for each in (["100", "10", "2"], ["90", "20", "3"], ["", "10", "2"])]
    assert found == ["55", "36", "–"]


@pytest.mark.parametrize(
    ("brief", "dark"),
    [("One page: tea 2.00, cake 3.00. Dark background.", True), ("One page: tea 2.00, cake 3.00. Red.", False)],
)
async def test_the_background_is_as_dark_as_the_brief_wants(brief: str, dark: bool) -> None:
    async with shared_browser().page(files_of(brief), PAGE) as page:
        colour = await page.evaluate("() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (sum(colour) < 200) is dark


@pytest.mark.parametrize(("more", "dark"), [("", False), (" Black background.", True), (" Cream background.", False)])
async def test_headings_have_their_colour_on_any_ground(more: str, dark: bool) -> None:
    brief = f"A page with our prices: tea 2.00, cake 3.00. Please make the headings orange.{more}"
    look = "() => ['h1', 'body'].map(e => getComputedStyle(document.querySelector(e)))"
    seen = f"({look})().map((s, at) => (at ? s.backgroundColor : s.color).match(/\\d+/g).map(Number))"
    async with shared_browser().page(files_of(brief), PAGE) as page:
        (red, green, blue), ground = await page.evaluate(f"() => {seen}")
    assert red > green > blue
    assert (sum(ground) < 200) is dark


def test_what_no_page_shows_of_the_brief_becomes_a_fact() -> None:
    brief = "An app for the Otter Club. Meetings on 3 May at 18:30 in Mill Lane, 12 euros. 3 pages, green accent."
    pages = ["<h1>Otter Club</h1>", "<p>Meetings</p><script>var a = '18:30';</script>"]
    found = left_out(brief, pages)
    assert found == [Row("Meetings", "3 May at 18:30 in Mill Lane, 12 euros")]
    assert left_out(brief, [*pages, "<p>3 May, 18:30, Mill Lane: 12 euros</p>"]) == []
