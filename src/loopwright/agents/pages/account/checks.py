"""The checks of the account: predicates of the pages as their user sees them."""

import colorsys
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from loopwright.agents.pages.account.arguments import (
    Absent,
    Arguments,
    Beside,
    Coloured,
    Counted,
    Entered,
    Follows,
    GivenOut,
    Ground,
    HasField,
    InLanguage,
    KeptHere,
    PageOf,
    Renamed,
    Taking,
    Ticked,
    Titled,
    Toned,
    Visible,
    beside,
    entered,
    follows,
    given_out,
    has_field,
    ticked,
)
from loopwright.agents.pages.account.deeds import kinds_of, lets
from loopwright.agents.pages.account.kept_said import kept_here
from loopwright.agents.pages.account.pages import Block, Form, Result, Section, Seen, linked, result_of
from loopwright.agents.pages.account.vocabulary import (
    LONGEST,
    is_echo,
    literally,
    pieces,
    runs_of,
    stands,
    together,
)
from loopwright.kernel.account import Check, Measured, NotMeasurable
from loopwright.kernel.account.reading import read_values
from loopwright.kernel.account.reading.values import near_hue

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun


# Which colours a rendered page has, and where.

NEAR_LIGHTNESS = 0.3
SAME = 3
"""By how much each part (0 to 255) of a colour given as a number may differ."""
DARK, LIGHT = 0.3, 0.7
"""Lightness (0 to 1) below which a background is dark, and above which it is light."""
LEAST_SATURATION = 0.15
LEAST_FULL = 0.35
"""Share of a colour's saturation that is still that colour, and no grey."""
WARM = (330.0, 75.0)
"""Hues (degrees) from which, over 0, up to which colours are warm: from pink over red and orange to yellow."""
LEAST_AREA = 100.0
"""CSS pixels², of the parts that must have a colour for it to be seen somewhere."""
_MAIN = (("button", "header"), ("link", "heading"), ("other",))
_RGB = re.compile(r"rgba?\(\s*(\d+)[,\s]+(\d+)[,\s]+(\d+)(?:[,\s/]+([\d.]+))?")


def coloured(result: Result, said: Coloured) -> tuple[bool, str]:
    """Most of the area that is meant has the colour, on every page that has such a thing."""
    wanted = _hex_of(said.colour)
    shown, misses = Counter[str](), []
    for page in result.pages.values():
        if page.fills is None:
            raise NotMeasurable("colours are seen in a browser only")
        areas = _areas(page.fills, said.where)
        if not areas:
            continue
        if said.where == "some":
            near = [each for each in areas if _near(wanted, each, literal=said.colour.strip().startswith("#"))]
            shown[max(near, key=lambda each: areas[each]) if near else "another"] += 1
            continue
        top = areas.most_common(1)[0][0]
        shown[top] += 1
        if not _near(wanted, top, literal=said.colour.strip().startswith("#")):
            misses.append(page.slug)
    if not shown:
        return False, f"nothing is coloured ({said.where})"
    told = ", ".join(f"{colour} on {count} pages" for colour, count in shown.most_common(3))
    if said.where == "some":
        return set(shown) != {"another"}, f"somewhere: {told}"
    return not misses, f"{said.where}: {told}"


def ground(result: Result, said: Ground) -> tuple[bool, str]:
    """The background of every page is on the dark, or on the light side."""
    shades = {}
    for page in result.pages.values():
        if page.fills is None:
            raise NotMeasurable("colours are seen in a browser only")
        areas = _areas(page.fills, "background")
        top = areas.most_common(1)[0][0] if areas else "#ffffff"
        red, green, blue = (part / 255 for part in _parts(top))
        shades[page.slug] = (0.2126 * red + 0.7152 * green + 0.0722 * blue, top)
    dark = said.relation == "<"
    wrong = [light for light, _ in shades.values() if (light > DARK if dark else light < LIGHT)]
    return not wrong, f"background: {', '.join(sorted({top for _, top in shades.values()}))}"


def toned(result: Result, said: Toned) -> tuple[bool, str]:
    """The main colour of every page, or its background, is on the warm or the cool side of the circle of hues."""
    shown = {}
    for page in result.pages.values():
        if page.fills is None:
            raise NotMeasurable("colours are seen in a browser only")
        areas = _areas(page.fills, "main")
        if areas:
            shown[page.slug] = areas.most_common(1)[0][0]
    warm = [colorsys.rgb_to_hls(*(part / 255 for part in _parts(each)))[0] * 360 for each in shown.values()]
    fits = [(hue <= WARM[1] or hue >= WARM[0]) == (said.tone == "warm") for hue in warm]
    return bool(fits) and all(fits), f"main colours: {', '.join(sorted(set(shown.values())))}"


def _areas(fills: Sequence[tuple[str, str, float]], where: str) -> Counter[str]:
    """How much area of a page has which colour, of what is meant by `where`.

    The app's main colour is that of its buttons and header; where neither has one, that of links and headings, then of
    the rest. Greys, near-black and tints of the ground are no colour here.
    """
    for roles in _MAIN if where == "main" else ((where,),):
        found = Counter[str]()
        for role, colour, area in fills:
            rgb = _opaque(colour)
            if where == "some":
                if rgb is not None and area >= LEAST_AREA:
                    found[rgb] += int(area)
            elif role in roles and rgb is not None and (where != "main" or _chromatic(rgb)):
                found[rgb] += max(1, int(area))
        if found:
            return found
    return Counter()


def _opaque(colour: str) -> str | None:
    found = _RGB.match(colour)
    if found is None or (found[4] is not None and float(found[4]) < 0.5):
        return None
    return "#{:02x}{:02x}{:02x}".format(*(min(255, int(part)) for part in found.groups()[:3]))


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _chromatic(colour: str) -> bool:
    _, light, full = colorsys.rgb_to_hls(*(part / 255 for part in _parts(colour)))
    return full >= LEAST_SATURATION and 0.12 < light < 0.8


def _near(wanted: str, seen: str, *, literal: bool) -> bool:
    if literal:
        return all(abs(one - other) <= SAME for one, other in zip(_parts(wanted), _parts(seen), strict=True))
    lights = [colorsys.rgb_to_hls(*(part / 255 for part in _parts(colour)))[1] for colour in (wanted, seen)]
    full = [colorsys.rgb_to_hls(*(part / 255 for part in _parts(colour)))[2] for colour in (wanted, seen)]
    return near_hue(wanted, seen) and abs(lights[0] - lights[1]) <= NEAR_LIGHTNESS and full[1] >= LEAST_FULL * full[0]


def _hex_of(colour: str) -> str:
    found = [str(value.value) for value in read_values(colour) if value.type == "colour"]
    if not found:
        raise NotMeasurable(f"“{colour}” is no colour")
    return found[0]


Found = tuple[bool, str]
PART = 500
"""Characters of a part of a page in which words and the figures that belong to them may stand."""
FEWEST_COMMON = 2
COMMON: Mapping[str, frozenset[str]] = {
    code: frozenset(words.split())
    for code, words in {
        "en": "the and of to a in is for with your you on are this all",
        "de": "der die das und ist für mit ein eine von zu den auf im ihr sie dein",
        "fr": "le la les des et est pour avec un une du dans sur vous votre à au",
        "es": "el la los las y es para con un una del de en su por al tu",
    }.items()
}


def titled(result: Result, said: Titled) -> Found:
    """The name stands in the head of the first page, or in its title and in a text of it."""
    home = result.home
    head = [block.text for block in home.blocks if block.first or block.heading]
    texts = [block.text for block in home.blocks]
    in_title = literally(said.name, home.title)
    in_head = any(literally(said.name, text) for text in head)
    missing = [word for word in said.words if not any(stands(word, text) for text in [home.title, *texts])]
    holds = not missing and (in_head or (in_title and any(literally(said.name, text) for text in texts)))
    if missing:
        return False, f"the first page does not say “{' '.join(missing)}”"
    return holds, f"title “{home.title}”, {'in' if in_head else 'not in'} the head of the first page"


def visible(result: Result, said: Visible) -> Found:
    """The words stand together in a text that is seen, with the figures and names in the same part of the page."""
    if not said.words and not said.values:
        raise NotMeasurable("no word was said that could be seen")
    names = [*said.values, *said.each, *said.not_open] if not (said.since or said.until) else []
    for page in result.pages.values():
        texts = _shown(result, page) if names or not said.values else []
        if not said.values:
            for text in texts:
                sentence = together([*said.words, *said.each, *said.since], text)
                if sentence and _ends(said.until, sentence):
                    return True, f"{page.slug}: “{sentence[:100]}”"
        for text in texts if names else ():
            if len(text) <= LONGEST and all(stands(word, text) for word in said.words) and _all(names, text):
                return True, f"{page.slug}: “{text[:100]}”"
        for part in page.parts().values() if said.values else ():
            if (
                len(part) <= PART
                and all(stands(word, part) for word in said.words)
                and _all(said.values, part)
                and _ends(said.until, part)
                and _all([*said.since, *said.each, *said.not_open], part)
            ):
                return True, f"{page.slug}: “{' / '.join(part.splitlines())[:100]}”"
    return False, f"“{' '.join([*said.words, *said.values])}” does not stand together on any page"


def _ends(values: Sequence[str], text: str) -> bool:
    """Whether each of these stands after a word or sign that says until when."""
    return all(
        re.search(rf"(?:\bto|\buntil|\btill|\bbis|[-–—至到])\s*{re.escape(value)}(?!\w)", text, re.I)
        for value in values
    )


def _shown(result: Result, page: Seen) -> list[str]:
    """The texts of a page without the names of buttons and of links that lead nowhere: a name alone shows nothing."""
    empty = {
        each.name
        for each in page.controls
        if not (each.tag == "a" and _leads(result, page, each.target)) and each.kind not in ("checkbox", "radio")
    }
    headings = {block.group: block.text for block in page.blocks if block.heading}
    promised, cards = _only_promised(result, page)
    shown = [
        block
        for block in page.blocks
        if block.text not in empty and id(block) not in promised and (not block.bare or _titles(page, block))
    ]
    rows = [row for row in page.rows if not any(set(pieces(row)) <= card for card in cards)]
    top = next((block.text for block in page.blocks if block.heading and block.first), page.title)
    under = [f"{over} {block.text}" for block in shown if (over := headings.get(block.group, top)) != block.text]
    under += [f"{top} {row}" for row in rows]
    under += [f"{part.title} {row}" for part in page.sections for row in rows if row in part.text]
    chosen = [f"{each.name} {' '.join(each.options)}" for each in page.controls if each.options]
    opened = [field for each in page.controls if each.answers for field in each.fields]
    return [page.title, *(block.text for block in shown), *rows, *under, *chosen, *opened]


def _titles(page: Seen, label: Block) -> bool:
    """Whether a label says the heading of a section in full, and something in that section does what was tried."""
    for number, section in enumerate(page.sections):
        working = any(each.part == number and (each.answers or each.kind == "checkbox") for each in page.controls)
        heading = next((block.text for block in page.blocks if block.heading and block.text in section.text), "")
        if working and label.text in section.text and heading and stands(heading, label.text):
            return True
    return False


def _only_promised(result: Result, page: Seen) -> tuple[set[int], list[set[str]]]:
    """Texts (by `id`) of cards that lead to another page and do not stand there, and the words of each such card."""
    texts, cards = set[int](), []
    for link in page.controls:
        other = result.pages.get(linked(link.target)) if link.name else None
        if other is None or other is page:
            continue
        links = {each.name for each in other.controls if each.tag == "a"}
        behind = "\n".join([other.title, *(each.text for each in other.blocks if each.text not in links)])
        groups = {each.group for each in page.blocks if each.heading and each.text == link.name}
        card = [each for each in page.blocks if each.group in groups]
        broken = [each for each in card if each.text != link.name and not stands(each.text, behind)]
        texts |= {id(each) for each in broken}
        if any(not each.text.isdigit() for each in broken):
            cards.append({word for each in card for word in pieces(each.text)})
    return texts, cards


def _leads(result: Result, page: Seen, target: str) -> bool:
    """Whether a link leads to a part of the page, or to another page that says something."""
    other = result.pages.get(linked(target)) if linked(target) else None
    if other is not None and other is not page:
        return _says_something(other)
    return len(target) > 1 and target.startswith("#")


def taking(result: Result, said: Taking) -> Found:
    """One section has the words, and what was tried in it does what the verbs say; or a link leads to such a form."""
    if not result.rendered:
        raise NotMeasurable("without a browser no form is tried")
    if not (said.words or said.done):
        raise NotMeasurable("nothing was said that could be done")
    told, without = " ".join([*said.done, *said.words, *said.values]), ""
    if kinds_of(" ".join(said.done)) == ["link"]:
        return linking(result, [*said.words, *said.values])
    for page in result.pages.values():
        for number, section in enumerate(page.sections):
            fields = [field for each in page.controls if each.part == number for field in each.fields]
            text = " ".join([section.title, section.text, *fields])
            if not all(stands(word, text) for word in [*said.words, *said.each]) or not _all(said.values, text):
                continue
            if all(lets(page, number, verb, said.words) for verb in said.done or [""]):
                return True, f"{page.slug}: “{section.title[:60]}” was tried and does it"
            without = f"{page.slug}: nothing in “{section.title[:60]}” does “{' '.join(said.done)}”"
        for control in page.controls:
            if not (control.target and not said.values and together([*said.done, *said.words], control.name)):
                continue
            for form in _led_to(result, page, control.target):
                if form.answers and any(stands(word, form.text) for word in said.words):
                    return True, f"{page.slug}: “{control.name[:60]}” leads to a form that answers"
    return False, without or f"no section of a page has “{told}”"


def linking(result: Result, words: Sequence[str]) -> Found:
    """Links that lead out of the app have these words in their names."""
    names = [each.name for page in result.pages.values() for each in page.controls if each.target.startswith("http")]
    missing = [word for word in words if not any(stands(word, name) for name in names)]
    return not missing and bool(words), f"links elsewhere: {', '.join(names)[:100] or 'none'}"


def page_of(result: Result, said: PageOf) -> Found:
    """A page with these words in its title or first heading is reached from the first page, and says something."""
    for slug in sorted(result.reached()):
        page = result.pages[slug]
        names = [page.title, *(block.text for block in page.blocks if block.heading and block.first)]
        names += [each.title for each in page.sections if any(stands(name, each.title) for name in names[1:])]
        if _says_something(page) and any(all(stands(word, name) for word in said.page) for name in names):
            return True, f"{slug}: “{page.title}”"
    return False, f"no page of that name is reached; there are {', '.join(sorted(result.pages))}"


def _says_something(page: Seen) -> bool:
    """Whether there is a text beside headings and the names of controls."""
    names = {control.name for control in page.controls}
    return any(not block.heading and block.text not in names for block in page.blocks)


def counted(result: Result, said: Counted) -> Found:
    """So many pages, each with something to read, all reached from the first."""
    there = [slug for slug, page in result.pages.items() if page.blocks]
    reached = len(result.reached() & set(there))
    count = len(there)
    holds = {"==": count == said.count, "<=": count <= said.count, ">=": reached >= said.count}[said.relation]
    told = f"{count} pages, {reached} of them reached from the first"
    home = "\n".join([result.home.title, *(block.text for block in result.home.blocks)])
    if silent := [word for word in said.about if not stands(word, home)]:
        return False, f"{told}; the first does not say “{' '.join(silent)}”"
    return holds and reached == count, told


def absent(result: Result, said: Absent) -> Found:
    """The words stand together nowhere: in no text, no title, no name of a control."""
    for page in result.pages.values():
        texts = [page.title, page.slug] if said.page else [page.title, *page.text.splitlines()]
        for text in texts:
            if all(stands(word, text) for word in said.absent):
                return False, f"{page.slug}: “{text[:80]}”"
    return True, f"“{' '.join(said.absent)}” is nowhere on {len(result.pages)} pages"


def renamed(result: Result, said: Renamed) -> Found:
    """The new name is seen, and the old one nowhere."""
    new = [slug for slug, page in result.pages.items() if literally(said.new, page.text)]
    bare = {slug: f"{page.title}\n{page.text}" for slug, page in result.pages.items()}
    if literally(said.old, said.new):  # the new name has the old one in it: only what is left beside it counts
        bare = {slug: text.replace(said.new, "") for slug, text in bare.items()}
    old = [slug for slug, text in bare.items() if literally(said.old, text)]
    return bool(new) and not old, f"“{said.new}” on {len(new)} pages, “{said.old}” on {len(old)}"


def in_language(result: Result, said: InLanguage) -> Found:
    """Each page says that it is in the language, no page speaks another one more, and all of them together speak it."""
    wrong = [page.slug for page in result.pages.values() if not _speaks(page, said.language)]
    whole = "\n".join(page.text for page in result.pages.values())
    spoken = said.language == "zh" or _common(whole)[said.language] >= FEWEST_COMMON
    return not wrong and spoken, f"{len(result.pages) - len(wrong)} of {len(result.pages)} pages in {said.language}"


def _speaks(page: Seen, language: str) -> bool:
    if not page.lang.lower().startswith(language):
        return False
    text = page.text
    han = sum("\u3400" <= letter <= "\u9fff" for letter in text)
    if language == "zh":
        return han * 3 > len(text.replace(" ", ""))
    counts = _common(text)
    return han == 0 and counts[language] == max(counts.values())


def _common(text: str) -> dict[str, int]:
    words = pieces(text)
    return {code: sum(word in common for word in words) for code, common in COMMON.items()}


def _all(values: Iterable[str], text: str) -> bool:
    return all(literally(value, text) for value in values)


def _led_to(result: Result, page: Seen, target: str) -> Sequence[Form]:
    path, _, anchor = target.partition("#")
    other = result.pages.get(linked(path)) if path else page
    if other is None:
        return ()
    return [form for form in other.forms if not anchor or anchor in form.ids]


def own_words(result: Result, said: Sequence[str]) -> Result:
    """The result without texts that only repeat a stretch of the user's messages: they show nothing."""
    runs = runs_of(said)
    pages = {
        slug: replace(
            page,
            title="" if is_echo(page.title, runs) else page.title,
            blocks=[block for block in page.blocks if not is_echo(block.text, runs)],
            rows=[row for row in page.rows if not is_echo(row, runs)],
            controls=[each if not is_echo(each.name, runs) else replace(each, name="") for each in page.controls],
            forms=[form for form in page.forms if not is_echo(form.text, runs)],
            sections=[_without_echo(each, page, runs) for each in page.sections],
        )
        for slug, page in result.pages.items()
    }
    return replace(result, pages=pages)


def _without_echo(section: Section, page: Seen, runs: frozenset[tuple[str, ...]]) -> Section:
    text = section.text
    for block in page.blocks:
        if is_echo(block.text, runs):
            text = text.replace(block.text, "")
    return replace(section, title="" if is_echo(section.title, runs) else section.title, text=text)


async def told_by(run: "AgentRun") -> list[str]:
    """What the user has said in this run, and the brief of the session."""
    session = await run.services.sessions.get(run.state.session_id)
    return [*run.state.said, str(session.metadata.get("brief") or "")]


def _check(name: str, arguments: type[Arguments], look: Callable[[Result, Any], Found], *about: str) -> Check:
    async def measure(run: "AgentRun", said: Any) -> Measured:
        result = await result_of(run)
        # What is to be gone must be looked for everywhere, also in what repeats the user's words.
        read = result if name in ("absent", "renamed") else own_words(result, await told_by(run))
        holds, value = look(read, said)
        return Measured(holds, value, result.how, result.digest)

    return Check(name, arguments, measure, about)


CHECKS = (
    _check("titled", Titled, titled, "words"),
    _check("visible", Visible, visible),
    _check("beside", Beside, beside),
    _check("entered", Entered, entered),
    _check("given_out", GivenOut, given_out),
    _check("follows", Follows, follows),
    _check("field", HasField, has_field),
    _check("ticked", Ticked, ticked),
    _check("ground", Ground, ground),
    _check("taking", Taking, taking),
    _check("kept_here", KeptHere, lambda result, said: kept_here(result, said.words)),
    _check("page", PageOf, page_of),
    _check("pages", Counted, counted, "unit"),
    _check("colour", Coloured, coloured, "where"),
    _check("tone", Toned, toned),
    _check("absent", Absent, absent),
    _check("renamed", Renamed, renamed, "old"),
    _check("language", InLanguage, in_language),
)
"""Every check that a statement may become a claim of."""
