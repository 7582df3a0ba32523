"""Whether a style sheet can carry mobile pages, and what is added to it or taken out so that it does."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from loopwright.agents.pages.asking import Unusable
from loopwright.agents.pages.colour import nearest_shade
from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, contrast, parse_colour
from loopwright.agents.pages.compliance.cascade.media import StyleSheet as FlatSheet
from loopwright.agents.pages.compliance.cascade.tokens import CssToken, parse_values, walk
from loopwright.agents.pages.compliance.markup import Edit, apply_edits
from loopwright.agents.pages.design.change import SchemeChoice, change_tokens
from loopwright.agents.pages.design.completion import complete_schemes, probe_html
from loopwright.agents.pages.design.pairs import TextPair, pair_of, pairs_in_rules, texts_of
from loopwright.agents.pages.design.schemes import SCHEMES, default_scheme, is_on_root, probe
from loopwright.agents.pages.design.source import Block, CssSource, SourceDeclaration, read_source
from loopwright.agents.pages.design.tokens import (
    DesignSystem,
    Token,
    parts_of,
    read_design_system,
    role_of_token,
    take_inventory,
)
from loopwright.agents.pages.parsing.fences import extract_css
from loopwright.kernel.errors import InvalidInput

# A brand colour is a fill to the digit; where a sheet also writes with it, the writing gets a token of its own.

TEXT_OF = "-text"
"""Ends the name of the token for text in the colour of another token."""


def tell_text_from_fill(css: str, asked: Collection[Colour]) -> str:
    """The sheet with `--x-text` wherever it writes with a token that holds an asked colour on some other ground.

    The new token starts with the same value; it may then move to be readable while the fill stays as it was asked for.
    """
    system, scheme = read_design_system(css), default_scheme(css)
    source = read_source(css)
    grounds: dict[Block, bool] = defaultdict(bool)
    for each in source.declarations:
        if each.blocks and each.name in ("background", "background-color"):
            grounds[each.blocks[-1]] = True
    edits: list[Edit] = []
    for token in system.of_kind("colour"):
        new = f"{token.name}{TEXT_OF}"
        is_fill = role_of_token(token.name) == "any" and token.colour(scheme) in asked
        if not is_fill or new in system.variables:
            continue
        found = [each for each in source.declarations if _writes_with(each, token.name, grounds)]
        for each in found:
            for part in parts_of(each.value):
                if part.kind == "reference" and part.name == token.name:
                    start = each.value_start + part.start
                    edits.append(Edit(start, start + part.end - part.start, f"var({new})"))
        if found:
            setting = [each for each in source.declarations if each.name == token.name and is_on_root(each)]
            edits += [Edit(each.end, each.end, f"; {new}: {each.value}") for each in setting]
    return apply_edits(css, edits)


def _writes_with(declaration: SourceDeclaration, name: str, grounds: dict[Block, bool]) -> bool:
    return (
        declaration.name == "color"
        and bool(declaration.blocks)
        and not grounds[declaration.blocks[-1]]
        and any(part.kind == "reference" and part.name == name for part in parts_of(declaration.value))
    )


# The colours that the user asked for, to the digit; and texts that can be read on them and on all else.

MARKER = "#fe01fd"
_SEATS = (("brand", "primary"), ("accent", "secondary"))
"""What the tokens are called that hold the first and the second colour of a brand."""


def keep_brand(css: str, brand_colors: Sequence[str]) -> tuple[str, list[str]]:
    """The sheet with the asked colours in their tokens, and what had to be changed for it."""
    notes: list[str] = []
    for text, names in zip(brand_colors, _SEATS, strict=False):
        asked = parse_colour(text)
        system = read_design_system(css)
        # A white surface holds no white brand.
        fills = [token for token in system.of_kind("colour") if role_of_token(token.name) == "any"]
        if asked is None or any(token.colour("light") == asked == token.colour("dark") for token in fills):
            continue
        seat = _seat(system, names)
        if seat is None:
            notes.append(f"the sheet has no token for {asked.css}, which was asked for")
            continue
        css = change_tokens(css, {seat.name: asked.css})
        notes.append(f"set {seat.name} to {asked.css}, which was asked for, instead of {seat.light}")
    return tell_text_from_fill(css, _colours(brand_colors)), notes


def keep_contrast(css: str, brand_colors: Sequence[str] = ()) -> tuple[str, list[str]]:
    """The sheet with text tokens moved until they can be read; colours that were asked for stay where they are.

    What cannot be helped by moving a text token is told: a raw colour, or a brand colour that is used for text.
    """
    asked = _colours(brand_colors)
    notes: list[str] = []
    for scheme in _schemes(css):
        pairs = list(_pairs(css, scheme))
        for token in read_design_system(css).of_kind("colour"):
            colour = token.colour(scheme)
            fixed = colour in asked and role_of_token(token.name) == "any"
            if colour is not None and colour.is_opaque and not fixed and role_of_token(token.name) in ("text", "any"):
                before, (css, said) = css, _readable(css, token, colour, scheme, pairs)
                pairs = pairs if css == before else list(_pairs(css, scheme))
                notes += said
        weak = [f"`{where}` {pair.ratio:.1f}:1" for where, pair in pairs if pair.ratio < pair.required]
        if weak:
            notes.append(f"the sheet has text that is hard to read ({scheme}): {', '.join(dict.fromkeys(weak[:4]))}")
    return css, notes


def _readable(
    css: str, token: Token, colour: Colour, scheme: Scheme, before: Sequence[tuple[str, TextPair]]
) -> tuple[str, list[str]]:
    """The sheet with a token's shade with which its texts can be read, where some cannot and there is one."""
    if not any(pair.text == colour and pair.ratio < pair.required for _, pair in before):
        return css, []
    where: SchemeChoice = scheme if len(_schemes(css)) > 1 else "both"
    try:
        # Which texts are the token's shows when it is given a colour that nothing else has.
        marked = list(_pairs(change_tokens(css, {token.name: MARKER}, where), scheme))
        met = _partners(before, marked)
        failing = any(contrast(colour, other) < ratio for other, ratio in met)
        shade = nearest_shade(colour, met) if failing else None
        if shade is None:
            return css, []
        changed = change_tokens(css, {token.name: shade.css}, where)
    except InvalidInput as error:
        return css, [f"left {token.name} too weak: {error.message}"]
    return changed, [f"made {token.name} {shade.css} instead of {colour.css} ({scheme}), to be readable"]


def _schemes(css: str) -> tuple[Scheme, ...]:
    return SCHEMES if read_design_system(css).has_both_schemes else (default_scheme(css),)


def _pairs(css: str, scheme: Scheme) -> Iterator[tuple[str, TextPair]]:
    """The pairs of the sheet's rules, and of a page with one of everything."""
    yield from pairs_in_rules(css, scheme).items()
    cascade = probe(css, scheme, probe_html())
    for node in texts_of(cascade):
        pair = pair_of(cascade, node, scheme)
        if pair is not None:
            yield node.tag or "", pair


def _partners(
    before: Sequence[tuple[str, TextPair]], marked: Sequence[tuple[str, TextPair]]
) -> list[tuple[Colour, float]]:
    """What a token meets: grounds under its texts, and texts on it where it is a ground."""
    met: dict[tuple[Colour, float], None] = {}
    for (_, old), (_, new) in zip(before, marked, strict=True):
        if old.text != new.text:
            met |= dict.fromkeys((ground, old.required) for ground in old.grounds)
        elif old.grounds != new.grounds and old.text.is_opaque:
            met[old.text, old.required] = None
    return list(met)


def _colours(texts: Sequence[str]) -> list[Colour]:
    return [colour for text in texts if (colour := parse_colour(text)) is not None]


def _seat(system: DesignSystem, names: Sequence[str]) -> Token | None:
    """The token that holds a colour of the brand: the one whose name ends in one of these words."""
    for name in names:
        for token in system.of_kind("colour"):
            words = token.name.strip("-").split("-")
            if words[-1] == name and "on" not in words:
                return token
    return None


# What has no place in a style sheet that pages carry: other files, other hosts, and code.

MAX_CHARACTERS = 200_000
MAX_DECLARATIONS = 6_000
_DATA = ("data:image/png", "data:image/jpeg", "data:image/gif", "data:image/webp", "data:image/avif",
         "data:image/svg+xml", "data:font/", "data:application/font-woff", "data:application/x-font")  # fmt: skip
_PROPERTIES_OF_CODE = frozenset({"behavior", "-ms-behavior", "-moz-binding"})
_STATEMENTS = ("@import", "@charset", "@namespace")


@dataclass(frozen=True, slots=True)
class Purged:
    """A sheet without what has no place in it, and what was taken out, each once."""

    css: str
    removed: tuple[str, ...] = ()


def refusal_of(css: str) -> str | None:
    """Why a sheet cannot be used at all, said to the one who wrote it; None when it can."""
    if len(css) > MAX_CHARACTERS:
        return f"The style sheet has {len(css):,} characters; {MAX_CHARACTERS:,} are the most. Send a shorter one."
    lowered = css.lower()
    if "</style" in lowered or "<script" in lowered or "<!--" in lowered:
        return "The file is CSS only; leave out every HTML tag."
    source = read_source(css)
    if any(block.content_end >= len(css) for block in source.blocks):
        return "The style sheet ends inside a rule. Send the whole file again."
    if len(source.declarations) > MAX_DECLARATIONS:
        return (
            f"The style sheet has {len(source.declarations):,} declarations. Send a shorter one, without repetitions."
        )
    return None


def purge(css: str) -> Purged | None:
    """Take out imports, addresses of files and hosts, and code; None when some of it cannot be taken out.

    Data URLs of pictures and fonts, and references into the page (`#id`), stay.
    """
    cleaned = css.replace("\0", "")
    source = read_source(cleaned)
    found = list(_removals(cleaned, source))
    # A rule that goes takes its declarations along: the wider span wins.
    spans: list[tuple[int, int]] = []
    for start, end, _ in sorted(found, key=lambda each: (each[0], -each[1])):
        if not spans or start >= spans[-1][1]:
            spans.append((start, end))
    cleaned = apply_edits(cleaned, [Edit(start, end, "") for start, end in spans])
    flat = FlatSheet()
    flat.add(cleaned)
    if any(not _is_harmless(address) for address in flat.addresses):
        return None
    return Purged(cleaned, tuple(dict.fromkeys(said for _, _, said in found)))


def _removals(css: str, source: CssSource) -> Iterator[tuple[int, int, str]]:
    for statement in source.statements:
        keyword = statement.text.split(None, 1)[0].lower()
        if keyword.startswith(_STATEMENTS):
            yield statement.start, statement.end, keyword
    for declaration in source.declarations:
        reason = _reason(declaration.name, declaration.value)
        if reason is None:
            continue
        face = next((block for block in declaration.blocks if block.prelude.lower().startswith("@font-face")), None)
        if face is not None:
            yield face.start, face.content_end + 1, "@font-face from elsewhere"
            continue
        end = declaration.end + len(css[declaration.end :]) - len(css[declaration.end :].lstrip())
        yield declaration.start, end + 1 if css[end : end + 1] == ";" else declaration.end, reason


def _reason(name: str, value: str) -> str | None:
    """Why a declaration is taken out, or None when it may stay."""
    if name in _PROPERTIES_OF_CODE:
        return name
    if "(" not in value and "\\" not in value:
        return None
    for token in walk(parse_values(value)):
        if token.kind == "function" and token.name in ("expression", "-moz-element", "element", "paint"):
            return f"{token.name}()"
        address = _address(token)
        if address is not None and not _is_harmless(address):
            return f"url({address[:60]})"
    return None


def _address(token: CssToken) -> str | None:
    if token.kind == "url":
        return token.name
    if token.kind == "function" and token.name in ("url", "src", "image", "image-set", "-webkit-image-set"):
        strings = [child.name for child in token.children if child.kind == "string"]
        return strings[0] if strings else "" if token.name in ("url", "src") else None
    return None


def _is_harmless(address: str) -> bool:
    bare = "".join(address.split()).lower()
    return bare.startswith("#") or bare.startswith(_DATA)


PACKAGE = "loopwright.agents.pages.design"
MIN_CLASSES = 3
_TOUCH, _CONTRAST = "touch-target", "contrast"


@dataclass(frozen=True)
class StyleSheet:
    """A style sheet that can be saved. `fixes` says what was done to the model's one."""

    css: str
    fixes: tuple[str, ...] = ()


def read_style_sheet(answer: str, brand_colors: Sequence[str] = ()) -> StyleSheet | Unusable:
    """The style sheet of a model's answer, made fit for mobile pages where it is not.

    Args:
        answer: what the model said.
        brand_colors: colours that the user asked for (hex, the main one first): they are in the sheet to the digit.
    """
    css = extract_css(answer)
    if css is None:
        return Unusable("There is no whole style sheet in your answer. Send the whole file in one ```css fence.")
    refusal = refusal_of(css)
    if refusal is not None:
        return Unusable(refusal)
    purged = purge(css)
    if purged is None:
        return Unusable("The style sheet loads files from elsewhere. Leave out @import and url() of other files.")
    inventory = take_inventory(purged.css)
    if not inventory.variables or len(inventory.classes) < MIN_CLASSES:
        return Unusable(
            "The style sheet needs variables (`--color-primary: …` in `:root`) and component classes (.page, .btn, "
            ".card …). Send the whole file again."
        )
    fixes = [f"took out {', '.join(purged.removed[:6])}"] if purged.removed else []
    return completed(purged.css, fixes, brand_colors)


def completed(css: str, fixes: list[str], brand_colors: Sequence[str]) -> StyleSheet:
    """The sheet with the mobile base, the brand, both schemes and readable texts, where it lacks them.

    Args:
        css: a sheet that reaches nothing outside.
        fixes: what was done to it before, in words.
        brand_colors: colours that the user asked for (hex, the main one first).
    """
    lacking = mobile_errors(css)
    if lacking:
        base = resources.files(PACKAGE).joinpath("mobile-base.css").read_text(encoding="utf-8")
        css = f"{base}\n{css}"
        fixes.append(f"put the mobile base before it ({', '.join(lacking)})")
    css, said = keep_brand(css, brand_colors)
    fixes += said
    completion = complete_schemes(css, brand_colors)
    fixes += [completion.note] if completion.note else []
    css, said = keep_contrast(completion.css, brand_colors)
    return StyleSheet(css, (*fixes, *said))


def mobile_errors(css: str) -> list[str]:
    """The rules that a plain page with this style sheet breaks.

    Of the probe's buttons, and of its kinds of navigation, one has to be large enough: style sheets differ in what they
    call them. Contrast is not the base's affair.
    """
    probe = probe_html()
    report = validate_page(probe, css=css, slug="probe", known_slugs=("index",))
    broken = {issue.rule for issue in report.issues if _CONTRAST not in issue.rule}
    small = Counter(_tag(issue.selector) for issue in report.issues if issue.rule == _TOUCH)
    forgiven = {tag for tag, mark in (("button", "<button"), ("a", "<a ")) if small[tag] < probe.count(mark)}
    if not small.keys() - forgiven:
        broken.discard(_TOUCH)
    return sorted(broken)


def _tag(selector: str | None) -> str:
    """The tag that a selector's last step names; empty where it names an id."""
    return re.split(r"[.:#\[]", (selector or "").rpartition(" > ")[2])[0]


# The standard style sheet: plain, whole, and in the colours that were asked for.

DARK: Mapping[str, str] = {
    "color-scheme": "dark",
    "--color-background": "#14181d",
    "--color-surface": "#1f252c",
    "--color-text": "#eef2f6",
    "--color-text-muted": "#aab4bf",
    "--color-secondary": "#9fb0c4",
    "--color-border": "#3a434d",
}
"""What the sheet has otherwise where the user wants a dark ground."""
DARK_BELOW = 0.5
"""Lightness (OKLCH) of a ground below which its texts are light."""


_HEADINGS = """
h1,
h2,
h3 {
  color: var(--color-heading);
}
.app-header {
  border: 1px solid var(--color-border);
  background: var(--color-surface);
  color: var(--color-heading);
}
"""
"""Headings in a colour of their own; that of the page's head is one of them, so its ground is plain."""


def standard_sheet(
    brand_colors: Sequence[str] = (), *, dark: bool = False, ground: str | None = None, headings: str | None = None
) -> StyleSheet:
    """The sheet that stands in where no model has written a usable one.

    Args:
        brand_colors: colours that the user asked for (hex, the main one first).
        dark: whether the pages are to be dark.
        ground: the colour of the pages' background (hex), where the user named one.
        headings: the colour of the headings (hex), where the user named one.
    """
    css = resources.files(PACKAGE).joinpath("standard.css").read_text(encoding="utf-8")
    colour = parse_colour(ground) if ground else None
    changed = dict(DARK) if (colour.oklch.lightness < DARK_BELOW if colour else dark) else {}
    changed |= {"--color-background": ground} if ground and colour else {}
    for name, value in changed.items():
        css = re.sub(rf"(?<![\w-]){re.escape(name)}: [^;]+;", f"{name}: {value};", css, count=1)
    if headings:
        css = css.replace(":root {", f":root {{\n  --color-heading: {headings};", 1) + _HEADINGS
    return completed(css, [], brand_colors)
