"""Texts on grounds that a sheet's own rules declare together: states too, which no page shows at rest."""

from collections import defaultdict
from collections.abc import Iterator

from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, is_colour_token, parse_colour
from loopwright.agents.pages.compliance.cascade.tokens import parse_values, walk
from loopwright.agents.pages.compliance.cascade.variables import UnresolvedVariableError, substitute
from loopwright.agents.pages.design.pairs import TextPair
from loopwright.agents.pages.design.schemes import root_properties
from loopwright.agents.pages.design.source import Block, read_source

_GROUNDS = ("background", "background-color")


def pairs_in_rules(css: str, scheme: Scheme) -> dict[str, TextPair]:
    """Selectors of the rules that set both a text colour and an opaque ground, with the pair they make."""
    properties = root_properties(css, scheme)
    rules: dict[Block, dict[str, str]] = defaultdict(dict)
    for each in read_source(css).declarations:
        if each.blocks and each.selectors and not each.conditions and each.name in ("color", *_GROUNDS):
            name = "color" if each.name == "color" else "background"
            rules[each.blocks[-1]][name] = each.value
    found: dict[str, TextPair] = {}
    for block, values in rules.items():
        if len(values) == 2:
            text = _colours(values["color"], properties, scheme)
            grounds = tuple(each for each in _colours(values["background"], properties, scheme) if each.is_opaque)
            if len(text) == 1 and grounds:
                found[block.prelude] = TextPair(text[0], grounds, large=False)
    return found


def rule_pairs(before: str, after: str, scheme: Scheme) -> Iterator[tuple[str, TextPair, TextPair]]:
    """The pairs of rules that differ between two sheets, with their selectors."""
    later = pairs_in_rules(after, scheme)
    for selector, pair in pairs_in_rules(before, scheme).items():
        if selector in later and later[selector] != pair:
            yield selector, pair, later[selector]


def _colours(value: str, properties: dict[str, str], scheme: Scheme) -> list[Colour]:
    """The colours of a value; none where one of its references is worth nothing."""
    try:
        text = substitute(value, properties.get)
    except UnresolvedVariableError:
        return []
    tokens = [token for token in walk(parse_values(text)) if is_colour_token(token)]
    nested = {id(child) for token in tokens for child in walk(token.children)}
    colours = [parse_colour(token.text, scheme=scheme) for token in tokens if id(token) not in nested]
    return [colour for colour in colours if colour is not None]
