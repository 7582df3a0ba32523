"""What pages show of briefs in natural sentences, line by line, and that nothing of these is lost or announced."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

from loopwright.agents.pages.domain.building import is_one_page, named, spoken_in
from loopwright.agents.pages.domain.entering import read_calculation
from loopwright.agents.pages.domain.formulas import Calculation, checked_formula, usual_formula
from loopwright.agents.pages.domain.outline import outline_of
from loopwright.agents.pages.domain.sections import outlined

CASES = {
    case["id"]: case
    for line in Path(__file__).with_name("sentences.jsonl").read_text(encoding="utf-8").splitlines()
    for case in [json.loads(line)]
}
ANNOUNCED = re.compile(
    r"\b(?:pages?|(?!seitens)seiten?|please|bitte|would like|i want|we want|i need|could you|make me|mach uns|"
    r"möchten?|hätten gern|brauchen wir)\b",
    re.I,
)


def lines_of(brief: str) -> list[str]:
    """A page as text: `#` title, `##` heading, `[ ]` to tick, `?` field, `>` entered, `=` result, `label | value`."""
    lang = spoken_in(brief)
    outline = outline_of(brief)
    title = named("", outline, brief, lang)
    asked = read_calculation(outline.calculation)
    usual = usual_formula(asked, brief) if outline.calculation else ""
    made = checked_formula(usual, asked, brief) if usual else None
    calculation = made if isinstance(made, Calculation) else None
    lines = [f"# {title}"]
    for part in outlined(outline, calculation, asked.notes, lang, title):
        text = re.sub(r'<label class="field">([^<]*)<select[^>]*>(.*?)</select></label>', _choice, part)
        text = re.sub(
            r'<label class="field">([^<]*)<(?:input|textarea)[^>]*>(?:</textarea>)?</label>', r"\n? \1\n", text
        )
        text = re.sub(r'<input type="checkbox"[^>]*>', "[ ]", text)
        text = re.sub(r"</span> <(?:span|strong)[^>]*>", " | ", text)
        text = re.sub(r"<h2>", "\n## ", text)
        text = re.sub(r"</(?:h2|li|p|label)>", "\n", text)
        lines += [line.strip() for line in unescape(re.sub(r"<[^>]+>", "", text)).split("\n") if line.strip()]
    if outline.calculation:
        lines += [*(f"> {each.label}" for each in asked.inputs), f"= {asked.result}", *asked.notes, f"formula {usual}"]
    return lines


def _choice(found: re.Match[str]) -> str:
    options = ", ".join(re.findall(r"<option[^>]*>([^<]+)</option>", found[2]))
    return f"\n? {found[1]} ({options})\n"


@pytest.mark.parametrize("name", CASES)
def test_what_a_brief_says_is_shown_in_lines_that_a_person_would_write(name: str) -> None:
    shown = [line.casefold() for line in lines_of(CASES[name]["brief"])]
    assert [line for line in CASES[name]["lines"] if line.casefold() not in shown] == [], "\n".join(shown)


@pytest.mark.parametrize("name", CASES)
def test_no_figure_is_lost_and_nothing_is_announced(name: str) -> None:
    brief = CASES[name]["brief"]
    assert is_one_page(brief)
    lines = lines_of(brief)
    shown = set(re.findall(r"\d+(?:[.,:]\d+)*", " ".join(lines)))
    assert set(re.findall(r"\d+(?:[.,:]\d+)*", brief)) <= shown
    assert [line for line in lines if ANNOUNCED.search(line)] == []
