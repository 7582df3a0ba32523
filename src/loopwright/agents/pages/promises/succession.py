"""A changed mind: the user's newest words ask for something else of what an older promise watches.

Then the new request takes the place of the old check, and no gate is needed, because the words were the yes. It is
decided by the user's message, the older request and the pages alone; what a model writes into its call counts
for nothing. A check is superseded when all of this holds:

- a clause of the message is a request for this page in the respect that the check watches (colour, size, …);
- it names the same thing: by the same words as the older request, which the check fulfils, or by the very name in
  the check's selector;
- what the page shows there now is what the request says, and was not before.

Every superseded check has a successor that watches the same thing for the new value, so that nothing goes unwatched.
"""

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.browser import (
    ActionFailed,
    Browser,
    BrowserFailed,
    BrowserPage,
    BrowserUnavailable,
    project_files,
)
from loopwright.agents.pages.colour import Colour
from loopwright.agents.pages.compliance.cascade.colours import parse_colour
from loopwright.agents.pages.compliance.cascade.computed import elements_around
from loopwright.agents.pages.compliance.cascade.shorthand import expand
from loopwright.agents.pages.compliance.cascade.tokens import UnresolvedVariableError, substitute
from loopwright.agents.pages.compliance.page import Page
from loopwright.agents.pages.promises.app_pages import AppPages, element_names, normalised
from loopwright.agents.pages.promises.checks import (
    BehaviourCheck,
    Check,
    ElementCheck,
    Expectation,
    Step,
    StyleCheck,
    TextCheck,
)
from loopwright.agents.pages.promises.intents import Aspect, Intent, intents_of, is_main_heading
from loopwright.agents.pages.promises.promise import MAX_CHECKS, Promise, PromiseDraft, PromiseVerdict, Verdict
from loopwright.agents.pages.promises.replay import look_at
from loopwright.agents.pages.promises.wording import BehaviourRunner, expectation_of, same_value

# Acting behaviours out in the browser: the steps as a person does them, then a look at what came of them.

PATIENCE_SECONDS = 1.5
"""How long an expectation may take to come true: animations and timers of a prototype are shorter."""
_COUNT = """([selector, words]) => {
  const plain = (text) => (text || "").split(/\\s+/).filter(Boolean).join(" ").toLowerCase();
  const found = [...document.querySelectorAll(selector)];
  return found.filter((node) => plain(node.textContent).includes(plain(words))).length;
}"""

POLL_SECONDS = 0.1


def runner_for(browser: Browser | None) -> BehaviourRunner | None:
    """A runner where a browser can be used, else None."""
    return BrowserRunner(browser) if browser is not None and browser.why_not() is None else None


class BrowserRunner:
    """Gives each behaviour a page of its own, with empty storage."""

    def __init__(self, browser: Browser) -> None:
        """Keep the browser; it starts when the first behaviour is acted out."""
        self._browser = browser

    async def act_out(self, app: AppPages, checks: Iterable[BehaviourCheck]) -> list[Verdict | None]:
        """One verdict each, in order; None for what the browser, not the page, has failed at."""
        files = project_files(app.sources, app.css)
        return list(await asyncio.gather(*(self._one(files, check) for check in checks)))

    async def unseen(self, app: AppPages, slug: str, checks: Sequence[ElementCheck]) -> set[int]:
        """The places of those checks whose elements are not there once the page's scripts have run.

        None of them where the browser, not the page, fails: the source has been looked at already.
        """
        files = project_files(app.sources, app.css)
        try:
            async with self._browser.page(files, f"pages/{slug}.html") as page:
                counts = [await page.evaluate(_COUNT, [each.selector, each.text or ""]) for each in checks]
        except (ActionFailed, BrowserFailed):
            return set()
        return {place for place, each in enumerate(checks) if counts[place] < each.min_count}

    async def _one(self, files: dict[str, str], check: BehaviourCheck) -> Verdict | None:
        expected = expectation_of(check)
        try:
            async with self._browser.page(files, f"pages/{check.slug}.html") as page:
                if (problem := await act(page, check.steps)) is not None:
                    return Verdict(check, "broken", expected, problem, "browser")
                problem = await _look(page, check.expectations)
        except ActionFailed as error:
            return Verdict(check, "broken", expected, error.message, "browser")
        except (BrowserUnavailable, BrowserFailed):
            return None  # the caller falls back on the source, and the verdict says `static`
        if problem is not None:
            return Verdict(check, "broken", expected, problem, "browser")
        return Verdict(check, "kept", expected, "seen in the browser", "browser")


async def act(page: BrowserPage, steps: Sequence[Step]) -> str | None:
    """Do the steps; what went wrong, or None."""
    for number, step in enumerate(steps):
        try:
            await _do(page, step, first=number == 0)
        except ActionFailed as error:
            return error.message
    return None


async def _do(page: BrowserPage, step: Step, *, first: bool) -> None:
    selector = step.selector or ""
    match step.action:
        case "load":
            if not first:  # the page is open already; a later load comes back to it with what is stored
                await page.reload()
        case "click":
            await page.click(selector)
        case "fill":
            await page.fill(selector, step.value)
        case "select":
            await page.select(selector, step.value)


async def _look(page: BrowserPage, expectations: Sequence[Expectation]) -> str | None:
    """The first expectation that does not come true in time, as what was found instead; None when all do."""
    for expectation in expectations:
        found = await _unmet(page, expectation)
        waited = 0.0
        while found is not None and waited < PATIENCE_SECONDS:
            await asyncio.sleep(POLL_SECONDS)
            waited += POLL_SECONDS
            found = await _unmet(page, expectation)
        if found is not None:
            return found
    return None


async def _unmet(page: BrowserPage, expectation: Expectation) -> str | None:
    """What is found instead of what was expected; None when it is so."""
    selector, wanted = expectation.selector or "", expectation.value
    match expectation.kind:
        case "appears":
            return None if await page.exists(selector) else f"{selector} is not to be seen"
        case "disappears":
            return f"{selector} is still to be seen" if await page.exists(selector) else None
        case "storage":
            value = await page.storage(expectation.name)
            return None if value is not None and wanted in (None, value) else f"{expectation.name} holds {value!r}"
        case "navigation":
            here = page.url().partition("?")[0].partition("#")[0]
            return None if here == f"pages/{wanted}.html" else f"{here} is open"
    if not await page.exists(selector, visible=False):
        return f"no {selector}"
    match expectation.kind:
        case "text":
            text = await page.text(selector)
            return None if normalised(wanted or "") in normalised(text) else f"{selector} says {text[:80]!r}"
        case "class":
            classes = (await page.attribute(selector, "class") or "").split()
            return None if expectation.name in classes else f"{selector} has the classes {' '.join(classes)!r}"
        case _:
            value = await page.attribute(selector, expectation.name)
            met = value is not None and wanted in (None, value)
            return None if met else f"{selector} has {expectation.name} = {value!r}"


# Whether a style is what a request says: colours as people name them, sizes and corners by which way they went.

HUE = 30.0
"""Degrees by which a colour may be off from the one that was named; 30 is half the way from one primary to the next."""
LIGHTNESS = 0.3
GREY = 0.045
"""The chroma (of OKLCH) below which no hue is seen."""


def has_become(intent: Intent, before: str | None, after: str) -> bool:
    """Whether a value is what a request says, and was not before."""
    if intent.aspect == "colour":
        return is_called(intent, parse_colour(after))
    if intent.aspect == "size" and intent.exact:
        return same_value(after, intent.value)
    if intent.aspect == "alignment":
        return after.strip() in (intent.value, {"left": "start", "right": "end"}.get(intent.value, ""))
    names = {"normal": 400.0, "bold": 700.0}
    old, new = (_number(value or "", names) for value in (before, after))
    more = intent.value in ("bigger", "bolder", "rounder")
    return old is not None and new is not None and (new > old if more else new < old)


def _number(value: str, names: Mapping[str, float]) -> float | None:
    """A length in pixels, or a bare number; None for what cannot be compared."""
    text = value.strip().lower()
    found = re.fullmatch(r"(-?\d*\.?\d+)(px|rem|em|pt|%)?", text)
    if found is None:
        return names.get(text)
    return float(found[1]) * {"rem": 16.0, "em": 16.0, "pt": 4 / 3}.get(found[2] or "", 1.0)


def is_called(intent: Intent, colour: Colour | None) -> bool:
    """Whether people would call a colour by the name that the request uses."""
    wanted = parse_colour(intent.value)
    if colour is None or wanted is None or colour.alpha < 0.5:
        return False
    is_, meant = colour.oklch, wanted.oklch
    nearness = 0.5 if intent.exact else 1.0
    if abs(is_.lightness - meant.lightness) > LIGHTNESS * nearness:
        return False
    if meant.chroma < GREY or is_.chroma < GREY:
        return meant.chroma < GREY and is_.chroma < GREY
    turn = abs(is_.hue - meant.hue) % 360
    return min(turn, 360 - turn) <= HUE * nearness


_PROPERTIES: Mapping[Aspect, re.Pattern[str]] = {
    "colour": re.compile(r"(?:.*-)?colou?r(?:-.*)?|background(?:-image)?|fill|stroke|--.*"),
    "size": re.compile(r"(?:font-size|(?:min-|max-)?(?:height|width)|padding.*|line-height|.*gap|--.*)"),
    "weight": re.compile(r"font-weight"),
    "shape": re.compile(r"border-.*radius|--.*"),
    "presence": re.compile(r"(?!)"),
    "alignment": re.compile(r"text-align"),
    "words": re.compile(r"(?!)"),
}
_SIDES = {
    "background": re.compile(r"background.*"),
    "text": re.compile(r"color|font.*"),
    "border": re.compile(r"border.*"),
}


@dataclass(frozen=True)
class Succession:
    """What the user's words supersede: by promise the checks, and the checks that take their places."""

    superseded: tuple[tuple[Promise, Check], ...] = ()
    successors: tuple[Check, ...] = ()
    still_broken: tuple[PromiseVerdict, ...] = ()


@dataclass(frozen=True)
class _Setting:
    """The page before and after the change, the requests that are about it, and the styles that it breaks."""

    slug: str
    before: AppPages
    after: AppPages
    intents: tuple[Intent, ...]
    broken: tuple[StyleCheck, ...]

    def stands_in(self, selector: str, thing: str) -> bool:
        """Whether the elements of a selector are those of another one, or all stand in them."""
        if selector == thing:
            return True
        page = self.after.page(self.slug)
        things = {node.mem_id for node in page.find(thing)}
        nodes = page.find(selector)
        return bool(nodes) and all(any(each.mem_id in things for each in elements_around(node)) for node in nodes)

    def has_become_as_asked(self, intent: Intent, selector: str) -> bool:
        """Whether something at the selector has become what the request says."""
        styles = [check for check in self.broken if check.selector == selector and _watches(check, intent)]
        return any(has_become(intent, *pair) for check in styles for pair in _new_values(check, self).values())


def succession(
    broken: Sequence[PromiseVerdict], message: str, slug: str, title: str, before: AppPages, after: AppPages
) -> Succession:
    """Which broken checks the user's words supersede.

    Args:
        broken: the promises that the change breaks, with the checks that held before it.
        message: the user's newest words.
        slug: the page that is changed.
        title: its name.
        before: the app before the change.
        after: the app with it.
    """
    intents = tuple(intent for intent in intents_of(message) if intent.concerns(slug, title))
    checks = [verdict.check for each in broken for verdict in each.broken if verdict.check.slug == slug]
    styles = tuple(check for check in checks if isinstance(check, StyleCheck))
    setting = _Setting(slug, before, after, intents, styles)
    superseded: list[tuple[Promise, Check]] = []
    successors: list[Check] = []
    left: list[PromiseVerdict] = []
    for each in broken:
        found = _heirs(each.promise, [verdict.check for verdict in each.broken], setting)
        superseded += [(each.promise, check) for check in found]
        successors += [heir for heirs in found.values() for heir in heirs]
        rest = tuple(verdict for verdict in each.broken if verdict.check not in found)
        left += [PromiseVerdict(each.promise, rest)] if rest else []
    return Succession(tuple(superseded), tuple(dict.fromkeys(successors)), tuple(left))


def with_successors(drafts: Sequence[PromiseDraft], heirs: Succession, request: str) -> list[PromiseDraft]:
    """What a change promises, with the successors of what it supersedes in its first draft, ahead of the rest."""
    if not heirs.successors:
        return list(drafts)
    own = next((draft for draft in drafts if draft.author == "controller"), None)
    derived = own.checks if own else ()
    checks = tuple(dict.fromkeys([*heirs.successors, *derived]))[:MAX_CHECKS]
    first = PromiseDraft(request=request, author="controller", checks=checks)
    return [first, *(draft for draft in drafts if draft is not own)]


def _heirs(promise: Promise, broken: Sequence[Check], setting: _Setting) -> dict[Check, tuple[Check, ...]]:
    """The superseded ones among a promise's checks, each with its successors.

    What goes with a broken check of the same thing goes with it, as the ink with its ground, and is watched as before:
    the ink of what stands in the thing as well.
    """
    found: dict[Check, tuple[Check, ...]] = {}
    mine = [check for check in broken if check.slug == setting.slug]
    for intent in setting.intents:
        for selector in dict.fromkeys(check.selector for check in mine if isinstance(check, StyleCheck)):
            if not setting.has_become_as_asked(intent, selector) or not _same_thing(promise, selector, intent, setting):
                continue
            group = [c for c in promise.checks if isinstance(c, StyleCheck) and setting.stands_in(c.selector, selector)]
            for style in (each for each in group if _watches(each, intent)):
                heirs = _style_heirs(style, setting) if style in mine else (style,)
                found |= {style: heirs} if heirs else {}
        for check in mine:
            heir = _heir_of_words(promise, check, intent) or _heir_of_absence(promise, check, intent)
            heir = heir or _heir_of_class(promise, check, intent, setting)
            if heir is not None and look_at(heir, setting.after).state == "kept":
                found[check] = (heir,)
    return found


def _watches(check: StyleCheck, intent: Intent) -> bool:
    """Whether a check is about what the request is about; ink goes with its ground, unless one side was named."""
    if not _PROPERTIES[intent.aspect].fullmatch(check.property):
        return False
    return intent.part is None or bool(_SIDES[intent.part].fullmatch(check.property))


def _same_thing(promise: Promise, selector: str, intent: Intent, setting: _Setting) -> bool:
    """Whether the request speaks of the thing at the selector: by its very name, or as the older request called it."""
    if intent.target in element_names(selector):
        return True
    fulfilled = [
        old
        for old in intents_of(promise.request)
        if old.aspect == intent.aspect
        and any(
            isinstance(check, StyleCheck) and check.selector == selector and _fulfils(check, old, setting.before)
            for check in (*promise.checks, *(each.check for each in promise.given_up))
        )
    ]
    return bool(fulfilled) and {old.target for old in fulfilled} == {intent.target}


def _fulfils(check: StyleCheck, intent: Intent, app: AppPages) -> bool:
    """Whether a check is what came of a request: of the same respect and, for what can be compared, the same value."""
    if not _watches(check, intent):
        return False
    if intent.aspect != "colour":
        return True
    page = app.page(check.slug)
    try:
        values = [
            substitute(check.value, page.cascade.custom_properties(node).get) for node in page.find(check.selector)
        ]
    except UnresolvedVariableError:
        return False
    longhands = (expand(check.property, value.strip()) for value in dict.fromkeys(values))
    return any(is_called(intent, parse_colour(value)) for each in longhands for value in each.values())


def _new_values(check: StyleCheck, setting: _Setting) -> dict[str, tuple[str | None, str]]:
    """What differs, by longhand: the value before and the one after, on the first element that differs."""
    old, new = setting.before.page(check.slug), setting.after.page(check.slug)
    was = next(iter(old.find(check.selector)), None)
    for node in new.find(check.selector):
        changed = {}
        for name in _longhands(check):
            before = _computed(old, was, name) if was is not None else None
            after = _computed(new, node, name)
            if after is not None and (before is None or not same_value(before, after)):
                changed[name] = (before, after)
        if changed:
            return changed
    return {}


def _longhands(check: StyleCheck) -> tuple[str, ...]:
    return (check.property,) if check.property.startswith("--") else tuple(expand(check.property, "initial"))


def _computed(page: Page, node: LexborNode, name: str) -> str | None:
    if name.startswith("--"):
        return page.cascade.custom_properties(node).get(name)
    return page.cascade.value(node, name)


def _style_heirs(check: StyleCheck, setting: _Setting) -> tuple[Check, ...]:
    """The same thing watched for its new values; none unless they hold, so that nothing is given up for nothing."""
    heirs = tuple(
        StyleCheck(slug=check.slug, selector=check.selector, property=name, value=after, min_count=check.min_count)
        for name, (_, after) in _new_values(check, setting).items()
        if 0 < len(after) <= 500
    )
    return heirs if all(look_at(heir, setting.after).state == "kept" for heir in heirs) else ()


def _heir_of_words(promise: Promise, check: Check, intent: Intent) -> Check | None:
    """The same words' place with the new ones, where the request speaks of it."""
    if intent.aspect != "words" or not isinstance(check, ElementCheck | TextCheck) or check.text is None:
        return None
    if isinstance(check, TextCheck) and not check.present:
        return None
    if isinstance(check, ElementCheck) and check.min_count == 0:
        return None
    olds = [old for old in intents_of(promise.request) if old.aspect == "words"]
    meant = {old.target for old in olds if normalised(old.value) == normalised(check.text)}
    by_words = intent.target == _words_of(check.text)
    is_heading = isinstance(check, ElementCheck) and check.selector == "h1" and is_main_heading(intent.target)
    if not (by_words or is_heading or meant == {intent.target}):
        return None
    return check.model_copy(update={"text": intent.value})


def _heir_of_absence(promise: Promise, check: Check, intent: Intent) -> Check | None:
    """What was asked to go is asked for again. Not the other way round: what is to go is asked about first."""
    if intent.aspect != "presence" or intent.value != "there":
        return None
    if not isinstance(check, ElementCheck) or check.max_count != 0:
        return None
    olds = {old.target for old in intents_of(promise.request) if old.aspect == "presence" and old.value == "gone"}
    if olds != {intent.target} and intent.target not in element_names(check.selector):
        return None
    return check.model_copy(update={"min_count": 1, "max_count": None})


def _words_of(text: str) -> frozenset[str]:
    return next((intent.target for intent in intents_of(f"rename {text} to x")), frozenset())


def _heir_of_class(promise: Promise, check: Check, intent: Intent, setting: _Setting) -> Check | None:
    """The look of an element that a class gave it: `header.bar--green` has become blue by another class."""
    if intent.aspect != "colour" or not isinstance(check, ElementCheck) or check.text or check.attribute:
        return None
    base, dot, added = check.selector.rpartition(".")
    if not base or not dot or not re.fullmatch(r"[\w-]+", added) or check.max_count is not None:
        return None
    olds = {old.target for old in intents_of(promise.request) if old.aspect == "colour"}
    if olds != {intent.target} and intent.target not in element_names(base):
        return None
    for name in _colour_properties(intent):
        probe = StyleCheck(slug=check.slug, selector=base, property=name, value="initial")
        for before, after in _new_values(probe, setting).values():
            if has_become(intent, before, after):
                return StyleCheck(slug=check.slug, selector=base, property=name, value=after)
    return None


def _colour_properties(intent: Intent) -> Iterator[str]:
    for side, name in (("background", "background-color"), ("text", "color"), ("border", "border-top-color")):
        if intent.part in (None, side):
            yield name
