"""The colour scheme that a sheet lacks, derived from the one it has, with every contrast kept."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from loopwright.agents.pages.colour import nearest_shade, shade
from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, contrast, parse_colour
from loopwright.agents.pages.compliance.markup import Edit, apply_edits
from loopwright.agents.pages.design.change import new_block
from loopwright.agents.pages.design.drift import DriftFinding, DriftRule, measure_drift
from loopwright.agents.pages.design.pairs import READABLE, pair_of, pairs_in_rules, texts_of
from loopwright.agents.pages.design.schemes import Mark, SchemeSwitch, default_scheme, probe
from loopwright.agents.pages.design.source import Block, read_source
from loopwright.agents.pages.design.tokens import (
    SAME_COLOUR,
    DesignSystem,
    nearest_colour,
    parts_of,
    read_design_system,
    role_of,
    role_of_token,
)

# Drift repaired in the page's source: a token in place of what it is worth, and nothing else.

MAX_ROUNDS = 4
"""A value may hold two findings that overlap; the second is repaired in the next round."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A page after the repairs, and what was done, each once."""

    html: str
    done: tuple[str, ...] = ()

    def notes(self, limit: int = 8) -> tuple[str, ...]:
        """What was done, as one line for the model; none where nothing was."""
        if not self.done:
            return ()
        more = f" and {len(self.done) - limit} more" if len(self.done) > limit else ""
        return (f"Took the design system's tokens: {', '.join(self.done[:limit])}{more}.",)


def fix_drift(html: str, css: str, rules: Collection[DriftRule] | None = None) -> Repair:
    """Put the token in place of every value that is the same as one, and of every invented variable.

    Colours are the same within `SAME_COLOUR`, lengths within `SAME_LENGTH`, fonts and shadows when they are written the
    same. Every character outside the replaced values stays.

    Args:
        html: the page's source.
        css: its design system.
        rules: repair these only.
    """
    done: dict[str, None] = {}
    for _ in range(MAX_ROUNDS):
        wanted = [
            finding
            for finding in measure_drift(html, css).findings
            if finding.auto_fixable and (rules is None or finding.rule in rules)
        ]
        if not wanted:
            break
        edits = []
        reached = 0
        for finding in sorted(wanted, key=lambda each: each.start):
            if finding.start >= reached:
                edits.append(_edit(finding, html))
                done[f"{_shown(finding.found)} → var({finding.token})"] = None
                reached = finding.end
        html = apply_edits(html, edits)
    return Repair(html, tuple(done))


def invented_variables(html: str, css: str, before: str | None = None) -> list[Edit]:
    """The edits that put existing variables in the place of those that nobody sets.

    Args:
        html: the page's source.
        css: its design system.
        before: the page before an edit; a variable that it names already is left as it is, so that only what is new
            is touched.
    """
    return [
        _edit(finding, html)
        for finding in measure_drift(html, css).findings
        if finding.rule == "unknown-variable"
        and finding.auto_fixable
        and (before is None or _name(finding) not in before)
    ]


def _edit(finding: DriftFinding, html: str) -> Edit:
    if finding.rule != "unknown-variable":
        return Edit(finding.start, finding.end, f"var({finding.token})")
    start = html.index(_name(finding), finding.start)
    return Edit(start, start + len(_name(finding)), str(finding.token))


def _name(finding: DriftFinding) -> str:
    return "--" + finding.found.partition("--")[2].replace(")", ",").partition(",")[0].strip()


def _shown(text: str, longest: int = 40) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


# A page with one of everything that a sheet styles: what can be told of a sheet before there is any page.


@cache
def probe_html() -> str:
    """The page's source."""
    return resources.files("loopwright.agents.pages.design").joinpath("probe.html").read_text(encoding="utf-8")


SWITCH = SchemeSwitch(by_preference=False, light=Mark("data-mode", "light"), dark=Mark("data-mode", "dark"))
"""A page shows the derived scheme when it says so (`<html data-mode="dark">`), never by itself: nobody designed it."""
_GROUND = {"dark": (0.18, 1.6), "light": (0.975, -0.6)}
"""Lightness (OKLCH) of the page's ground, and how fast other grounds move away from it."""
_LINE = {"dark": 0.345, "light": 0.885}
_TEXT = {"dark": (0.955, 0.23, 0.8), "light": (0.23, 0.955, 1.25)}
"""Lightness of the strongest text, the lightness that it comes from, and how fast weaker text moves from it."""
_NEUTRAL = 0.05
"""Chroma below which a ground is a neutral one, which changes sides; a coloured one is a fill and stays."""
_GROUND_PROPERTIES = ("background", "background-color")


@dataclass(frozen=True, slots=True)
class Completion:
    """A sheet with both schemes, or as it was; `note` says what was done or why it could not be."""

    css: str
    note: str | None = None


def complete_schemes(css: str, brand_colors: Sequence[str] = ()) -> Completion:
    """Give a sheet the scheme that it lacks.

    Grounds change sides, texts follow until they can be read on every ground that they are used on, fills keep their
    colour. What comes out is measured like any sheet; when a text could be read before and cannot be then, because the
    sheet has colours outside its tokens, nothing is added.

    Args:
        css: the sheet.
        brand_colors: colours that the user asked for; they are the same in both schemes.
    """
    if read_design_system(css).has_both_schemes or not read_design_system(css).of_kind("colour"):
        return Completion(css)
    given, have = css, default_scheme(css)
    css = _with_tokens(css, have)
    system = read_design_system(css)
    lacking: Scheme = "light" if have == "dark" else "dark"
    asked = {parse_colour(text) for text in brand_colors}
    moved = _derive(css, system, have, lacking, asked)
    values = {
        name: colour
        for name, colour in moved.items()
        if role_of_token(name) != "any" or system.tokens[name].colour(have) not in asked
    }
    if not values:
        return Completion(given, f"the sheet has no {lacking} scheme: it has no colour tokens for grounds and texts")
    lines = [f"  color-scheme: {lacking};", *(f"  {name}: {colour.css};" for name, colour in values.items())]
    block = new_block(SWITCH, lacking, "\n".join(lines))
    whole = f"{css.rstrip()}\n\n/* {lacking.capitalize()}: derived from the {have} scheme. */\n{block}\n"
    spoiled = _spoiled(css, whole, have, lacking)
    if spoiled:
        return Completion(given, f"the sheet has no {lacking} scheme, and none could be derived: {spoiled}")
    return Completion(
        whole, f'gave the sheet a {lacking} scheme, derived from its {have} one (`<html data-mode="{lacking}">`)'
    )


def _with_tokens(css: str, scheme: Scheme) -> str:
    """The sheet with its own tokens in the place of the same colours written out, so that these follow the scheme."""
    system = read_design_system(css)
    edits = []
    for each in read_source(css).declarations:
        for part in () if each.name.startswith("--") else parts_of(each.value):
            colour = parse_colour(part.text, scheme=scheme) if part.kind == "colour" else None
            if colour is None or part.inside == "color-mix":
                continue
            token, distance = nearest_colour(colour, role_of(each.name), system, scheme)
            if token is not None and distance is not None and distance <= SAME_COLOUR:
                start = each.value_start + part.start
                edits.append(Edit(start, start + part.end - part.start, f"var({token.name})"))
    return apply_edits(css, edits)


def _derive(
    css: str, system: DesignSystem, have: Scheme, lacking: Scheme, asked: Collection[Colour | None]
) -> dict[str, Colour]:
    """The tokens that have another colour in the derived scheme."""
    colours = {token.name: colour for token in system.of_kind("colour") if (colour := token.colour(have))}
    grounds, lines = _grounds(css, system, colours), _named(system, "line")
    derived = dict(colours)
    page = _page_lightness(css, have)
    for name in grounds:
        base, slope = _GROUND[lacking]
        derived[name] = _moved(colours[name], base + slope * abs(_lightness(colours[name]) - page))
    for name in lines - grounds:
        derived[name] = _moved(colours[name], _LINE[lacking])
    for name, on in _meetings(css, grounds).items():
        stays = name not in colours or (colours[name] in asked and role_of_token(name) == "any")
        if stays or name in grounds:
            continue
        start = derived[name]
        if on & grounds:
            strong, comes_from, pace = _TEXT[lacking]
            away = pace * abs(_lightness(start) - comes_from)
            start = _moved(start, strong + (away if lacking == "light" else -away)) if _is_neutral(start) else start
        partners = [
            (derived[ground], READABLE)
            for ground in on
            if ground in derived and contrast(colours[name], colours[ground]) >= READABLE
        ]
        derived[name] = nearest_shade(start, partners) or start
    return {name: colour for name, colour in derived.items() if colour != colours[name]}


def _grounds(css: str, system: DesignSystem, colours: dict[str, Colour]) -> set[str]:
    """Neutral tokens that are a ground by their name or by every use."""
    uses: dict[str, set[str]] = defaultdict(set)
    for each in read_source(css).declarations:
        for part in parts_of(each.value) if "var(" in each.value else ():
            if part.kind == "reference":
                uses[part.name].add("ground" if each.name in _GROUND_PROPERTIES else each.name)
    return {
        name
        for name, colour in colours.items()
        if colour.is_opaque
        and _is_neutral(colour)
        and (role_of_token(name) == "ground" or uses[name] == {"ground"})
        and "inverse" not in name
    } & set(system.tokens)


def _meetings(css: str, grounds: set[str]) -> dict[str, set[str]]:
    """Token used for text → tokens that it stands on: its rule's own ground, or any ground where it has none."""
    rules: dict[Block, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for each in read_source(css).declarations:
        if each.blocks and (each.name == "color" or each.name in _GROUND_PROPERTIES):
            names = {part.name for part in parts_of(each.value) if part.kind == "reference"}
            rules[each.blocks[-1]]["text" if each.name == "color" else "ground"] |= names or {"(raw)"}
    found: dict[str, set[str]] = defaultdict(set)
    for rule in rules.values():
        for name in rule["text"]:
            found[name] |= rule["ground"] or grounds
    return found


def _spoiled(before: str, after: str, have: Scheme, lacking: Scheme) -> str:
    """The first text that could be read in the old scheme and cannot be in the derived one; empty for none."""
    old, new = pairs_in_rules(before, have), pairs_in_rules(after, lacking)
    for selector, pair in new.items():
        if pair.ratio < pair.required and selector in old and old[selector].ratio >= old[selector].required:
            return f"text of `{selector}` would have {pair.ratio:.1f}:1"
    html = probe_html()
    cascades = probe(before, have, html), probe(after, lacking, html)
    for first, second in zip(texts_of(cascades[0]), texts_of(cascades[1]), strict=True):
        one, other = pair_of(cascades[0], first, have), pair_of(cascades[1], second, lacking)
        if one is None or other is None:
            continue
        if other.ratio < other.required and one.ratio >= one.required:
            return f"text in <{second.tag}> would have {other.ratio:.1f}:1"
    return ""


def _named(system: DesignSystem, role: str) -> set[str]:
    return {token.name for token in system.of_kind("colour") if role_of_token(token.name) == role}


def _page_lightness(css: str, scheme: Scheme) -> float:
    cascade = probe(css, scheme)
    node = next(iter(texts_of(cascade)), None)
    pair = None if node is None else pair_of(cascade, node, scheme)
    return _lightness(pair.worst) if pair else (1.0 if scheme == "light" else 0.0)


def _moved(colour: Colour, lightness: float) -> Colour:
    moved = shade(colour, lightness)
    return moved if colour.is_opaque else moved.faded(colour.alpha)


def _lightness(colour: Colour) -> float:
    return colour.oklch.lightness


def _is_neutral(colour: Colour) -> bool:
    return colour.oklch.chroma < _NEUTRAL
