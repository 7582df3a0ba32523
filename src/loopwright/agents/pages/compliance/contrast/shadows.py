"""What text shadows do to the ground around the letters (CSS Text Decoration 3, section 4)."""

from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.agents.pages.compliance.cascade.colours import Colour, Scheme, contrast, parse_colour
from loopwright.agents.pages.compliance.cascade.tokens import parse_values, split_on
from loopwright.agents.pages.compliance.contrast.text_contrast import TextContrast

MOST_OFFSET = 4.0
"""Pixels by which a shadow may be moved and still lie around the letters."""
LEAST_COVER, MOST_COVER = 0.35, 0.7
"""How opaque one blurred shadow is between the letters, at least and right at their edges."""
SEVERAL = 3
"""From this many shadows on they close around the letters, and the ground between is certainly tinted."""

MAXIMUM_RATIO = 21.0
"""Black on white."""
_BLACK, _WHITE = Colour(0.0, 0.0, 0.0), Colour(1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Shadow:
    """All the shadows of a text, as a tint of its ground."""

    colour: Colour | None
    """None for no shadow that matters."""
    count: int = 0

    def on(self, ground: Colour) -> Iterator[tuple[Colour, bool]]:
        """The colours next to the letters, and whether each is certainly there."""
        if self.colour is None:
            yield ground, True
            return
        least, most = 1 - (1 - LEAST_COVER) ** self.count, 1 - (1 - MOST_COVER) ** self.count
        if self.count < SEVERAL:
            yield ground, False
        yield self.colour.faded(least).over(ground), self.count >= SEVERAL
        yield self.colour.faded(most).over(ground), True

    def on_anything(self, text: Colour) -> TextContrast | None:
        """What a text certainly has where only its shadows are known, whatever they lie on; None without shadows."""
        if self.colour is None:
            return None
        cover = 1 - (1 - MOST_COVER) ** self.count
        shades = [self.colour.faded(cover).over(ground) for ground in (_BLACK, _WHITE)]
        dark, light = sorted(shades, key=lambda shade: shade.luminance)
        if dark.luminance <= text.luminance <= light.luminance:
            return None
        nearest = min(shades, key=lambda shade: contrast(text, shade))
        return TextContrast(text, nearest, MAXIMUM_RATIO, contrast(text, nearest))


def under_shadows(value: str, text: Colour, scheme: Scheme) -> Shadow | None:
    """Read `text-shadow`; None when a colour or a length in it is not known, or the shadows differ in colour."""
    if value == "none":
        return Shadow(None)
    colours: set[Colour] = set()
    count = 0
    for part in split_on(parse_values(value), ","):
        lengths = [token for token in part if token.kind in ("dimension", "number")]
        named = [token for token in part if token.kind in ("hash", "ident", "function")]
        if any(token.kind == "dimension" and token.name != "px" for token in lengths) or len(named) > 1:
            return None
        colour = parse_colour(named[0].text, text, scheme) if named else text
        if colour is None:
            return None
        blur = lengths[2].number if len(lengths) > 2 else 0.0
        is_near = all(abs(length.number) <= MOST_OFFSET for length in lengths[:2])
        if blur > 0 and is_near and colour.alpha > 0:
            colours.add(colour)
            count += 1
    if len(colours) > 1:
        return None
    return Shadow(next(iter(colours), None), count)
