"""What the user sees of the pages: read in a browser after their scripts, or, without one, from the saved files."""

import hashlib
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from loopwright.kernel.account import NothingThereYet, NotMeasurable
from loopwright.kernel.errors import LoopwrightError

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun


# A saved page read without a browser: what its markup and style rules leave visible.

GROUPS = ("section", "article", "form", "table", "dl", "header", "footer", "nav", "fieldset", "main")
SILENT = ("script", "style", "template", "noscript", "head", "option", "title")
ROWS = ("li", "tr", "dd", "dt", "p", "label", "article", "figure", "summary", "h1", "h2", "h3", "h4")
HEADINGS = ("h1", "h2", "h3", "legend", "caption")
CONTROLS = ("a", "button", "input", "select", "textarea")
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$|!)", re.I)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")


def read_saved(html: str, sheet: str) -> dict[str, Any]:
    """What `snapshot.js` tells of a rendered page, as far as files show it; colours are none of it.

    A style rule that hides counts wherever it stands, also for some screens alone: in doubt a text is not visible.
    """
    document = LexborHTMLParser(html)
    css = sheet + "\n".join(node.text() for node in document.css("style"))
    hidden = {node.mem_id for selector in _hiding(css) for node in _found(document, selector)}
    root, title = document.root, document.css_first("title")
    told: dict[str, Any] = {
        "title": _words(title.text()) if title else "",
        "lang": (root.attributes.get("lang") or "") if root else "",
        "blocks": [],
        "controls": [],
        "forms": [],
        "rows": [],
        "fills": None,
    }
    if document.body is not None:
        _read(document.body, hidden, told, 0, (False, False))
    for index, form in enumerate(document.css("form")):
        fields = form.css("input:not([type=hidden]):not([type=submit]), select, textarea")
        if fields and form.css("button:not([type=button]), input[type=submit]") and not _covered(form, hidden):
            told["forms"].append({"index": index, "ids": [], "text": _words(form.text(separator=" "))})
    return told


def _read(node: LexborNode, hidden: set[int], told: dict[str, Any], group: int, inside: tuple[bool, bool]) -> None:
    if _hides(node, hidden):
        return
    tag = node.tag or ""
    if tag in GROUPS:
        group = node.mem_id
    inside = (inside[0] or tag in HEADINGS, inside[1] or tag in ("h1", "header"))
    own = _words(" ".join(child.text_content or "" for child in node.iter(include_text=True) if child.tag == "-text"))
    if own:
        inline = _words(node.text(separator=" ")) if not node.css("div, p, ul, section, script, style, li") else own
        told["blocks"].append({"text": inline, "group": group, "heading": inside[0], "first": inside[1]})
    if tag in ROWS and not node.css("li, tr, article"):
        told["rows"].append(_words(node.text(separator=" ")))
    if tag in CONTROLS:
        given = node.attributes
        name = " ".join(filter(None, [given.get("aria-label"), given.get("placeholder"), node.text(separator=" ")]))
        kind = (given.get("type") or "text") if tag == "input" else ""
        told["controls"].append({"name": _words(name), "tag": tag, "target": given.get("href") or "", "kind": kind})
    for child in node.iter():
        _read(child, hidden, told, group, inside)


def _hides(node: LexborNode, hidden: set[int]) -> bool:
    given = node.attributes
    closed = node.tag in ("dialog",) and "open" not in given
    return bool(
        node.tag in SILENT
        or "hidden" in given
        or closed
        or _HIDING.search(given.get("style") or "")
        or node.mem_id in hidden
        or (node.tag == "input" and given.get("type") == "hidden")
    )


def _covered(node: LexborNode | None, hidden: set[int]) -> bool:
    while node is not None and node.tag not in ("html", "-undef", None):
        if _hides(node, hidden):
            return True
        node = node.parent
    return False


def _hiding(css: str) -> list[str]:
    plain = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    found = [rule[1] for rule in _RULE.finditer(plain) if _HIDING.search(rule[2])]
    return [each.strip() for selectors in found for each in selectors.split(",") if each.strip() and ":" not in each]


def _found(document: LexborHTMLParser, selector: str) -> list[LexborNode]:
    try:
        return list(document.css(selector))
    except (ValueError, RuntimeError):  # a selector that the parser does not know matches nothing here
        return []


def _words(text: str | None) -> str:
    return " ".join((text or "").split())


HOME = "index"
SHEET = "design-system.css"
PRESSED = ("button", "summary", "input", "select", "textarea")
MOST_PRESSED = 16
"""Kinds of button of a page that are pressed."""
KEPT = 3
"""Results that are kept read: the one before a run's work, and the one after it."""


@dataclass(frozen=True)
class Block:
    """A text that is seen; `group` is the part of the page in which it stands, `first` whether that is its head.

    What is `bare` is a word in a row of labels that label nothing.
    """

    text: str
    group: int
    heading: bool = False
    first: bool = False
    bare: bool = False


@dataclass(frozen=True)
class Control:
    """Something to press or to fill in; `target` is where a link leads, `kind` an input's type.

    `options` can be chosen in it, `part` is the number of its section. `answers` says whether pressing it was seen to
    open a form that answers (`opens`), or to change what is shown or kept; None: it was not pressed. `fields` are those
    of the form, each with what can be chosen in it.
    """

    name: str
    tag: str
    target: str = ""
    kind: str = ""
    options: Sequence[str] = ()
    part: int = 0
    answers: bool | None = None
    opens: bool = False
    fields: Sequence[str] = ()


@dataclass(frozen=True)
class Section:
    """A section of a page: its heading (else the page's), all its words, and how many things in it can be dragged."""

    title: str
    text: str
    moves: int = 0


@dataclass(frozen=True)
class Form:
    """A visible form with a field and a button; `ids` are the anchors that lead to it.

    `answers` says whether sending it was seen to show or keep something; None: it was not tried. `part` is the number
    of its section.
    """

    text: str
    index: int
    part: int = 0
    ids: tuple[str, ...] = ()
    answers: bool | None = None


@dataclass(frozen=True)
class Counting:
    """A field, what can be chosen in it, and whether another value of it changes a figure that the page shows."""

    name: str
    options: Sequence[str]
    counts: bool


@dataclass(frozen=True)
class Ticks:
    """How many boxes there are, how many of them can be ticked, and how many things beside them have none."""

    boxes: int
    work: int
    bare: int


@dataclass(frozen=True)
class Seen:
    """One page. `fills` are colours (CSS `rgb()`), each with what has it and its area in px²; None: not to be seen.

    `rows` are the texts of list items, table rows, paragraphs and the like, each whole. `counting` and `answers` (the
    texts that change with the fields) and `ticks` were tried in the browser; None: not tried. `figures` are texts with
    a figure that was seen to change after a form was sent or a button pressed.
    """

    slug: str
    title: str
    lang: str
    blocks: Sequence[Block]
    controls: Sequence[Control]
    forms: Sequence[Form]
    fills: Sequence[tuple[str, str, float]] | None
    rows: Sequence[str] = ()
    counting: Sequence[Counting] | None = None
    answers: Sequence[str] = ()
    ticks: Ticks | None = None
    sections: Sequence[Section] = ()
    figures: Sequence[str] = ()

    @property
    def text(self) -> str:
        """All that is to be read on it."""
        return "\n".join([*(block.text for block in self.blocks), *(each.name for each in self.controls)])

    def parts(self) -> Mapping[int, str]:
        """The texts of its sections, lists and forms, each whole."""
        found: dict[int, list[str]] = {}
        for block in self.blocks:
            found.setdefault(block.group, []).append(block.text)
        return {group: "\n".join(texts) for group, texts in found.items()}


@dataclass(frozen=True)
class Result:
    """All pages as the user gets them; `how` says by what they were read, `digest` is of the files."""

    pages: Mapping[str, Seen]
    how: str
    digest: str
    rendered: bool = field(default=True)

    @property
    def home(self) -> Seen:
        """The first page."""
        return self.pages.get(HOME) or next(iter(self.pages.values()))

    def reached(self) -> set[str]:
        """The pages to which links lead from the first one, itself included."""
        found, open_ = set[str](), [self.home.slug]
        while open_:
            slug = open_.pop()
            if slug in found or slug not in self.pages:
                continue
            found.add(slug)
            open_ += [linked(each.target) for each in self.pages[slug].controls if each.target]
        return found


def linked(target: str) -> str:
    """The page that a link of the prototype leads to; empty for one that leads elsewhere."""
    found = re.fullmatch(r"(?:\./)?([a-z0-9-]{1,40})\.html(?:[?#].*)?", target)
    return found[1] if found else ""


def files_of(folder: Path) -> dict[str, str]:
    """The saved files, by their path."""
    paths = [*sorted((folder / "pages").glob("*.html")), folder / SHEET]
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in paths
        if path.is_file()
    }


_READ: OrderedDict[tuple[str, bool], Result] = OrderedDict()


async def result_of(run: "AgentRun") -> Result:
    """What the user has now.

    Raises:
        NothingThereYet: there is no page.
        NotMeasurable: the browser went away while it looked.
    """
    files = files_of(run.output_dir)
    if not any(path.startswith("pages/") for path in files):
        raise NothingThereYet
    browser = getattr(run.services, "browser", None)
    usable = browser is not None and browser.why_not() is None
    digest = hashlib.sha256("\0".join(f"{path}\0{text}" for path, text in files.items()).encode()).hexdigest()
    key = (digest, usable)
    if key not in _READ:
        try:
            _READ[key] = await _rendered(browser, files, digest) if usable else _saved(files, digest)
        except LoopwrightError as error:
            raise NotMeasurable(f"the browser did not show the pages: {error.message}") from error
        while len(_READ) > KEPT:
            _READ.popitem(last=False)
    return _READ[key]


def _saved(files: Mapping[str, str], digest: str) -> Result:
    sheet = files.get(SHEET, "")
    pages = {}
    for path, html in files.items():
        if path.startswith("pages/"):
            slug = Path(path).stem
            pages[slug] = _seen(slug, read_saved(html, sheet))
    return Result(pages, "read from the saved files, scripts not run", digest, rendered=False)


async def _rendered(browser: Any, files: Mapping[str, str], digest: str) -> Result:
    paths = [path for path in files if path.startswith("pages/")]
    pages: dict[str, Seen] = {}
    async with browser.page(files, paths[0]) as page:
        for path in paths:
            if pages:
                await page.start_over(path)
            slug = Path(path).stem
            pages[slug] = _seen(slug, await _Trial(page, path).made())
    return Result(pages, "seen in the browser", digest)


async def figures_of(page: Any) -> dict[str, str]:
    """The figures that an open page shows, each with the words around it."""
    found: dict[str, str] = await page.evaluate(_script("figures.js"))
    return found


def changed_figures(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    """The texts with another figure than before, the words around it the same."""
    return {text for key, text in after.items() if before.get(key, text) != text}


class _Trial:
    """An open page that is tried as a person would: its buttons pressed, its fields filled in, its forms sent."""

    def __init__(self, page: Any, path: str) -> None:
        self._page = page
        self._path = path
        self._touched = False
        """Whether anything has changed since the page was loaded."""
        self._figures: dict[str, str] | None = None
        """The figures that it shows now; None: they are to be read."""
        self._changed: set[str] = set()

    async def made(self) -> dict[str, Any]:
        """What is seen on the page, and what came of everything that was tried."""
        told: dict[str, Any] = await self._page.evaluate(_script("snapshot.js"))
        controls = told["controls"]
        await self._pressed(controls)
        told |= {"fields": [], "answers": [], "ticks": {"boxes": 0, "work": 0, "bare": 0}}
        if any(each["kind"] == "checkbox" for each in controls):
            told["ticks"] = await self._tried("ticking.js")
        if any(each["tag"] in ("input", "select") for each in controls):
            told |= await self._tried("figuring.js")
        for form in told["forms"]:  # the last: what is sent may still lead elsewhere
            form["answers"] = await self._sent(form["index"])
        return told | {"figures": sorted(self._changed)}

    async def _tried(self, script: str) -> dict[str, Any]:
        """What the boxes or the fields of the page do."""
        await self._fresh()
        self._touched = True
        found: dict[str, Any] = await self._page.evaluate(_script(script))
        return found

    async def _fresh(self) -> None:
        """Load the page anew if anything was changed, also where what was pressed is still leading elsewhere."""
        if not self._touched:
            return
        try:
            await self._page.open(self._path)
        except LoopwrightError as error:
            if error.code != "action_failed":
                raise
            await self._page.open(self._path)
        self._touched, self._figures = False, None

    async def _pressed(self, controls: Sequence[dict[str, Any]]) -> None:
        """Press the buttons of a page and fill its single fields, of those that are alike the first one."""
        found: dict[tuple[int, str, str], dict[str, Any]] = {}
        opened: dict[int, bool] = {}
        for each in controls:
            if each["tag"] not in PRESSED or each["kind"] in ("checkbox", "radio", "file", "submit"):
                continue
            like = (each["part"], each["tag"], each["name"].partition(":")[0] if each["tag"] == "button" else "")
            if like not in found and len(found) < MOST_PRESSED:
                found[like] = await self._press(like, opened)
            each |= found.get(like, {})

    async def _press(self, like: tuple[int, str, str], opened: dict[int, bool]) -> dict[str, Any]:
        """Whether a control changes what is shown or kept or opens a form that answers."""
        before = await self._shown()
        try:
            told = await self._page.evaluate(_script("pressing.js"), [*like, list(opened)])
            if told["changes"]:
                await self._note(before)
        except LoopwrightError as error:
            if error.code != "action_failed":
                raise
            self._touched = True  # it has led elsewhere
            await self._fresh()
            return {"answers": True}
        form = told["opens"]
        if form < 0:
            return {"answers": bool(told["changes"])}
        if form not in opened:
            opened[form] = await self._answers(form)
            await self._fresh()
        return {"answers": opened[form], "opens": opened[form], "fields": told["fields"]}

    async def _sent(self, index: int) -> bool:
        """What `_answers` tells of a form of the page as it was loaded."""
        await self._fresh()
        return await self._answers(index)

    async def _answers(self, index: int) -> bool:
        """Whether a form, filled in and sent, shows or keeps something, or leads to another page of the app."""
        start, before = self._page.url(), await self._shown()
        self._touched = True
        try:
            told = await self._page.evaluate(_script("sending.js"), index)
            await self._note(before)
        except LoopwrightError as error:
            if error.code != "action_failed":
                raise
            return bool(self._page.url().partition("?")[0] != start.partition("?")[0] and not self._page.refused)
        return bool(told["typed"] or told["stored"])

    async def _shown(self) -> dict[str, str]:
        """The figures that the page shows now."""
        if self._figures is None:
            self._figures = await figures_of(self._page)
        return self._figures

    async def _note(self, before: Mapping[str, str]) -> None:
        """Keep the figures that are other ones than before."""
        self._touched, self._figures = True, None
        self._changed |= changed_figures(before, await self._shown())


def _script(name: str) -> str:
    return resources.files("loopwright.agents.pages.account").joinpath(name).read_text(encoding="utf-8")


def _seen(slug: str, told: Mapping[str, Any]) -> Seen:
    return Seen(
        slug=slug,
        title=told["title"],
        lang=told["lang"],
        blocks=[Block(**each) for each in told["blocks"] if each["text"]],
        controls=[Control(**each) for each in told["controls"]],
        forms=[Form(**{**each, "ids": tuple(each["ids"])}) for each in told["forms"]],
        rows=[row for row in told["rows"] if row],
        counting=None if told.get("fields") is None else [Counting(**each) for each in told["fields"]],
        answers=told.get("answers", ()),
        ticks=Ticks(**told["ticks"]) if told.get("ticks") else None,
        sections=[Section(**each) for each in told.get("sections", ())],
        figures=told.get("figures", ()),
        fills=None if told["fills"] is None else [(role, colour, float(area)) for role, colour, area in told["fills"]],
    )
