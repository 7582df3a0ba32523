"""Judges an app of one page as its reader sees it: opened in Chromium, after its scripts, at the width of a phone."""

import colorsys
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from bench.small_model.outcome import Fact, Outcome
from loopwright.agents.pages.browser.browser import find_chromium

LOOK = """() => {
  const shown = e => { const r = e.getBoundingClientRect(), s = getComputedStyle(e);
    return r.width > 0 && r.height > 0 && s.visibility !== 'hidden' && s.display !== 'none'; };
  const label = e => [...(e.labels || [])].map(l => l.innerText).join(' ') + ' ' +
    ['aria-label', 'placeholder', 'name', 'id', 'title', 'type'].map(n => e.getAttribute(n) || '').join(' ');
  const fields = [...document.querySelectorAll('input, select, textarea')].filter(
    e => shown(e) || [...(e.labels || [])].some(shown));
  const tickable = 'input[type=checkbox], [role=checkbox], [role=switch], [aria-pressed]';
  const ticks = [...document.querySelectorAll(tickable)].filter(
    e => shown(e) || [...(e.labels || [])].some(shown));
  const colours = {};
  for (const e of document.querySelectorAll('body, body *')) { if (!shown(e)) continue;
    const s = getComputedStyle(e), r = e.getBoundingClientRect();
    for (const c of [s.backgroundColor, s.color, s.borderTopColor, s.backgroundImage.match(/rgba?\\([^)]*\\)/)?.[0]])
      if (c) colours[c] = (colours[c] || 0) + r.width * r.height; }
  const ground = [document.body, document.documentElement].map(e => getComputedStyle(e).backgroundColor);
  const text = document.body.innerText + ' ' + fields.map(f => f.value || '').join(' ')
    + ' ' + [...document.querySelectorAll('option')].map(o => o.textContent).join(' ');
  return { text: text, title: document.title, lang: document.documentElement.lang, fields: fields.map(label),
    ticks: ticks.length, colours: colours, ground: ground };
}"""


def judge(case: dict[str, Any], outcome: Outcome) -> list[Fact]:
    """A fact that there is one valid page, and one for each thing that the brief names."""
    files = sorted(outcome.folder.rglob("*.html"))
    if len(files) != 1:
        return [Fact("one page", False, f"there are {len(files)} pages")]
    source = files[0].read_text(encoding="utf-8", errors="replace")
    seen, errors = _open(files[0])
    facts = [_valid(source, seen, errors)]
    text = " ".join(seen["text"].split()).casefold()
    facts += [
        Fact(names[0], any(_stands(name, text) for name in names), f"{names[0]!r} is not to be seen")
        for names in case["shows"]
    ]
    facts += [_control(each, seen) for each in case.get("controls", [])]
    if "colour" in case:
        facts.append(_colour(case["colour"], seen))
    if case.get("dark"):
        light = _light(seen["ground"])
        facts.append(Fact("dark background", light < 0.25, f"the background's lightness is {light:.2f}"))
    return facts


def _open(file: Path) -> tuple[dict[str, Any], list[str]]:
    errors: list[str] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        try:
            page = browser.new_page(viewport={"width": 430, "height": 932})
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.goto(file.resolve().as_uri())
            page.wait_for_timeout(500)
            return page.evaluate(LOOK), errors
        finally:
            browser.close()


def _valid(source: str, seen: dict[str, Any], errors: list[str]) -> Fact:
    problems = [f"a script failed: {errors[0][:200]}"] if errors else []
    problems += [] if re.match(r"\s*<!doctype html", source, re.I) else ["no doctype"]
    problems += [] if "</html>" in source.lower() else ["the file is cut"]
    problems += [] if seen["title"].strip() else ["no title"]
    problems += [] if seen["text"].strip() else ["nothing to be seen"]
    return Fact("a valid page", not problems, "; ".join(problems))


def _stands(name: str, text: str) -> bool:
    """Numbers and short names as whole words; a number may be written with a comma, or without its last zeros."""
    name = name.casefold()
    forms = {name, name.replace(".", ",")} if name[0].isdigit() else {name}
    if re.fullmatch(r"\d+\.\d0", name):
        forms |= {name[:-1], name[:-1].replace(".", ",")}
    if re.fullmatch(r"\d+\.00", name):
        forms.add(name[:-3])
    return any(
        re.search(rf"(?<![\w.,]){re.escape(form)}(?!\w)(?![.,]\d)", text) or _inside(form, text) for form in forms
    )


def _inside(form: str, text: str) -> bool:
    """Words of some length may carry an ending (tents), numbers may not."""
    return not form[0].isdigit() and len(form) > 3 and form in text


def _control(wanted: dict[str, Any], seen: dict[str, Any]) -> Fact:
    if wanted["kind"] == "tick":
        return Fact("ticked off", seen["ticks"] >= wanted["count"], f"{seen['ticks']} things can be ticked")
    found = any(any(word in label.casefold() for word in wanted["any"]) for label in seen["fields"])
    return Fact(wanted["any"][0], found, f"no field for {wanted['any'][0]}; fields: {seen['fields']}"[:300])


def _colour(wanted: dict[str, Any], seen: dict[str, Any]) -> Fact:
    low, high = wanted["hue"]
    for written in seen["colours"]:
        red, green, blue, alpha = _rgba(written)
        hue, light, strong = colorsys.rgb_to_hls(red, green, blue)
        if alpha > 0.3 and strong > 0.25 and 0.08 < light < 0.95 and low <= 360 * hue <= high:
            return Fact(wanted["name"], True, "")
    return Fact(wanted["name"], False, f"nothing is {wanted['name']}")


def _light(grounds: list[str]) -> float:
    for written in grounds:
        red, green, blue, alpha = _rgba(written)
        if alpha > 0:
            return colorsys.rgb_to_hls(red, green, blue)[1]
    return 1.0


def _rgba(written: str) -> tuple[float, float, float, float]:
    """Of `rgb(…)` and `rgba(…)`, from 0 to 1; anything else is taken as not to be seen."""
    numbers = [float(each) for each in re.findall(r"[\d.]+", written)]
    if not written.startswith("rgb") or len(numbers) < 3:
        return 0.0, 0.0, 0.0, 0.0
    return numbers[0] / 255, numbers[1] / 255, numbers[2] / 255, numbers[3] if len(numbers) > 3 else 1.0
