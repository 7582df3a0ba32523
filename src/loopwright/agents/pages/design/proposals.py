"""Values that keep the contrast where a change of tokens would spoil it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from loopwright.agents.pages.colour.shades import nearest_shade
from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme
from loopwright.agents.pages.design.pairs import TextPair
from loopwright.agents.pages.design.source import Block, read_source
from loopwright.agents.pages.design.tokens import Token, read_design_system
from loopwright.agents.pages.design.values import parts_of


class Proposal(BaseModel):
    """A value for a token that keeps every contrast it takes part in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    token: str
    scheme: Scheme
    value: str
    instead_of: str
    keeps: str
    """Which token stays as it was asked for, where another one makes room; empty where it is the changed one itself."""


def propose(
    css: str, wanted: Mapping[str, str], schemes: Iterable[Scheme], pairs: Sequence[tuple[Scheme, TextPair]]
) -> list[Proposal]:
    """Values that would keep the contrast: of the changed token itself, and of the token that it meets.

    Args:
        css: the sheet after the change.
        wanted: the changed tokens.
        schemes: those that were changed.
        pairs: the texts and grounds that the change moves, as they are after it.
    """
    tokens = read_design_system(css).of_kind("colour")
    found: list[Proposal] = []
    together = _together(css)
    for scheme in schemes:
        failing = [pair for side, pair in pairs if side == scheme and pair.ratio < pair.required]
        if not failing:
            continue
        moved = [pair for side, pair in pairs if side == scheme]
        for token in tokens:
            colour = token.colour(scheme)
            if token.name in wanted and colour is not None and colour.is_opaque:
                found += _own(token, colour, scheme, failing, moved)
        found += _partners(tokens, wanted, scheme, failing, moved, together)
    return list(dict.fromkeys(found))


def _own(
    token: Token, colour: Colour, scheme: Scheme, failing: Sequence[TextPair], moved: Sequence[TextPair]
) -> list[Proposal]:
    """The nearest shade of the changed token with which every pair that it is part of can be read."""
    if not _partners_of(colour, failing):
        return []
    shade = nearest_shade(colour, _partners_of(colour, moved))
    if shade is None:
        return []
    value = token.value(scheme) or ""
    return [Proposal(token=token.name, scheme=scheme, value=shade.css, instead_of=value, keeps="")]


def _partners(
    tokens: Sequence[Token],
    wanted: Mapping[str, str],
    scheme: Scheme,
    failing: Sequence[TextPair],
    moved: Sequence[TextPair],
    together: Mapping[str, set[str]],
) -> list[Proposal]:
    """Shades of the text tokens that stand on the changed ones, so that these may stay as they were asked for."""
    changed = {colour: token.name for token in tokens if token.name in wanted and (colour := token.colour(scheme))}
    needed: dict[str, tuple[Token, Colour, str]] = {}
    for pair in failing:
        keeps = next((changed[ground] for ground in pair.grounds if ground in changed), None)
        if keeps is None:
            continue
        meets = [token for token in tokens if token.name not in wanted and token.colour(scheme) == pair.text]
        # Of several tokens of that colour, those that the sheet sets beside the changed one.
        beside = [token for token in meets if token.name in together[keeps]]
        for token in beside or meets[:1]:
            needed.setdefault(token.name, (token, pair.text, keeps))
    found = []
    for token, colour, keeps in needed.values():
        shade = nearest_shade(colour, _partners_of(colour, moved))
        if shade is not None and shade != colour:
            value = token.value(scheme) or ""
            found.append(Proposal(token=token.name, scheme=scheme, value=shade.css, instead_of=value, keeps=keeps))
    return found


def _partners_of(colour: Colour, pairs: Iterable[TextPair]) -> list[tuple[Colour, float]]:
    """The colours that a colour meets as text or as ground, with the contrast that is needed."""
    met: dict[Colour, float] = defaultdict(float)
    for pair in pairs:
        if pair.text == colour:
            for ground in pair.grounds:
                met[ground] = max(met[ground], pair.required)
        elif colour in pair.grounds and pair.text.is_opaque:
            met[pair.text] = max(met[pair.text], pair.required)
    return list(met.items())


def _together(css: str) -> defaultdict[str, set[str]]:
    """For each variable the others that some rule refers to beside it."""
    rules: dict[Block, set[str]] = defaultdict(set)
    for each in read_source(css).declarations:
        if each.blocks and "var(" in each.value and not each.name.startswith("--"):
            rules[each.blocks[-1]].update(part.name for part in parts_of(each.value) if part.kind == "reference")
    found: defaultdict[str, set[str]] = defaultdict(set)
    for names in rules.values():
        for name in names:
            found[name] |= names - {name}
    return found
