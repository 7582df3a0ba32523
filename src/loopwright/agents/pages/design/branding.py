"""The colours that the user asked for, to the digit; and texts that can be read on them and on all else."""

from collections.abc import Iterator, Sequence

from loopwright.agents.pages.colour.shades import nearest_shade
from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, contrast, parse_colour
from loopwright.agents.pages.design.change import SchemeChoice, change_tokens
from loopwright.agents.pages.design.fills import tell_text_from_fill
from loopwright.agents.pages.design.nearest import role_of_token
from loopwright.agents.pages.design.pairs import TextPair, pair_of, texts_of
from loopwright.agents.pages.design.probing import probe_html
from loopwright.agents.pages.design.rule_pairs import pairs_in_rules
from loopwright.agents.pages.design.schemes import SCHEMES, default_scheme, probe
from loopwright.agents.pages.design.tokens import DesignSystem, Token, read_design_system
from loopwright.kernel.errors import InvalidInput

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
