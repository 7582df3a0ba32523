"""The style sheet of an app: the product type's look, changed by the user's words, colours and reference image.

The look of a product type is the key `look` of `data/products/{type}.json`:

- `mode`: light or dark, in which the app starts; every style sheet carries both (`[data-mode]` on the html element)
- `brand`, `accent`: `#RRGGBB`; `tint` and `tint_hue`: chroma and hue of the neutral colours
- `display`, `body`: names of the font stacks below; `weight`, `tracking`, `case`: of headings
- `radius`: sharp, soft or round; `density`: dense, normal or airy; `surface`: flat, raised, outlined or glass
- `faces`: further font stacks of `data/css/measures.json` that its pages write with, each a token `--font-{name}`
- `nav`: bar, pill or line; `scale`: growth of headings (1 = 28 px for a page's title)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loopwright.agents.pages.brief.knowledge import GENERAL
from loopwright.agents.pages.domain.ready import is_built_from_brief
from loopwright.agents.pages.offline.studio import details as resources
from loopwright.agents.pages.offline.studio.colour import normalise_hex
from loopwright.agents.pages.offline.studio.contracts import Mode
from loopwright.agents.pages.offline.studio.neutral import neutral_look
from loopwright.agents.pages.offline.studio.palettes import Colours, derived_of, is_dark, make_palette, without_grounds
from loopwright.agents.pages.offline.studio.rendering import product_type_of
from loopwright.agents.pages.offline.studio.topics import content_for

Look = dict[str, Any]

PARTS = ("base", "layout", "navigation", "components", "lists", "forms", "overlays", "data", "motion")
"""The style sheet's files in order; those of surface, navigation and style words follow."""

WIDE = "wide"
"""The last file: what wide windows lay out otherwise wins over what the look says of a phone."""

TOKEN_WORDS: dict[str, dict[str, str]] = {
    "radius": {"none": "sharp", "small": "crisp", "medium": "soft", "large": "round", "full": "round"},
    "spacing": {"compact": "dense", "normal": "normal", "airy": "airy"},
    "shadow": {"none": "flat", "subtle": "raised", "medium": "raised", "strong": "raised"},
}
"""The words of style tokens (field notes, 000 · pages) as words of a look."""

FONT_WORDS = (("mono", "mono"), ("rounded", "rounded"), ("sans", "grotesk"), ("serif", "serif"))
"""Parts of a font family's name, the deciding ones first (`sans-serif` holds `serif`), and the stack they mean."""


def render_design_system(
    product_type: str,
    *,
    style_tokens: Mapping[str, Any] | None = None,
    brand_colors: tuple[str, ...] = (),
    app_name: str = "",
    style_words: tuple[str, ...] = (),
    mode: Mode | None = None,
    brief: str = "",
) -> str:
    """The whole of `design-system.css`.

    Parameters: `style_tokens` are what `extract_style` says of an image; `brand_colors` (`#RRGGBB`, the most important
    first) win over them; `style_words` are names of `data/css/words.json`, unknown ones change nothing; `mode` wins
    over both tokens and look; `brief` names the subject, which has a look of its own.
    """
    tokens = style_tokens or {}
    words = [word for word in _words(style_words, tokens) if word in resources.read_json("css/words.json")]
    if is_built_from_brief(brief):
        own = resources.read_json(f"products/{product_type_of(product_type)}.json")["look"]
        usual = neutral_look(own, brief) if product_type_of(product_type) == GENERAL else own
    else:
        usual = content_for(product_type_of(product_type), brief, app_name)["look"]
    look = _look(usual, words, tokens)
    colours = _colours(look, tokens, tuple(filter(None, map(normalise_hex, brand_colors))))
    chosen = mode or _mode_of(tokens, colours) or look["mode"]
    other: Mode = "light" if chosen == "dark" else "dark"
    if colours.background and is_dark(colours.background) != (chosen == "dark"):
        colours = without_grounds(colours)
    other_colours = without_grounds(colours)
    values = {
        "app_name": app_name.replace("*/", ""),
        "mode": chosen,
        "other": other,
        "palette": make_palette(colours, chosen),
        "other_palette": make_palette(other_colours, other),
        "derived": {chosen: derived_of(colours, chosen), other: derived_of(other_colours, other)},
        "look": look,
        **_measures(look),
    }
    head = resources.environment(False).get_template("css/tokens.css.j2").render(values)
    files = [*PARTS, f"surfaces/{look['surface']}", f"nav/{look['nav']}", *(f"words/{word}" for word in words), WIDE]
    return "\n".join([head.strip(), *(resources.read_text(f"css/{name}.css").strip() for name in files)]) + "\n"


def _words(style_words: tuple[str, ...], tokens: Mapping[str, Any]) -> tuple[str, ...]:
    """The user's words, else the image's style where it was seen rather than assumed."""
    style = tokens.get("style")
    if style_words or not isinstance(style, str) or "style" in tokens.get("assumed", ()):
        return tuple(dict.fromkeys(style_words))
    return (style,)


def _look(usual: Look, words: list[str], tokens: Mapping[str, Any]) -> Look:
    look = dict(usual)
    for word in words:
        look.update(resources.read_json("css/words.json")[word])
    assumed = tokens.get("assumed", ())
    for token, key in (("radius", "radius"), ("spacing", "density"), ("shadow", "surface")):
        value = tokens.get(token)
        if token not in assumed and value in TOKEN_WORDS[token]:
            look[key] = TOKEN_WORDS[token][value]
    family = (tokens.get("typography") or {}).get("fontFamily")
    if isinstance(family, str) and "typography" not in assumed:
        look["display"] = next((stack for part, stack in FONT_WORDS if part in family.lower()), look["display"])
    return look


def _colours(look: Look, tokens: Mapping[str, Any], brand_colors: tuple[str, ...]) -> Colours:
    seen = {name: _hex(value) for name, value in (tokens.get("colors") or {}).items()}
    brand = (brand_colors[0] if brand_colors else None) or seen.get("primary") or look["brand"]
    accent = brand_colors[1] if len(brand_colors) > 1 else None
    if not brand_colors:
        accent = seen.get("accent") or seen.get("secondary") or (look.get("accent") if brand == look["brand"] else None)
    own_hue = brand == look["brand"] and not brand_colors
    return Colours(
        brand=brand,
        accent=accent,
        tint=look.get("tint", 0.012),
        tint_hue=look.get("tint_hue") if own_hue else None,
        background=seen.get("background"),
        surface=seen.get("surface"),
        text=seen.get("text"),
    )


def _hex(value: object) -> str | None:
    """A colour of style tokens; text colours come in several strengths, the first is the strongest."""
    if isinstance(value, Mapping):
        value = next(iter(value.values()), None)
    return normalise_hex(value) if isinstance(value, str) else None


def _mode_of(tokens: Mapping[str, Any], colours: Colours) -> Mode | None:
    if tokens.get("mode") in ("light", "dark"):
        return "dark" if tokens["mode"] == "dark" else "light"
    if colours.background is not None:
        return "dark" if is_dark(colours.background) else "light"
    return None


def _measures(look: Look) -> dict[str, Any]:
    """Radii, spaces and fonts of a look.

    Raises:
        KeyError: the look uses a word that `data/css/measures.json` does not have.
    """
    table = resources.read_json("css/measures.json")
    return {
        "radius": table["radius"][look["radius"]],
        "density": table["density"][look["density"]],
        "font_display": table["fonts"][look["display"]],
        "font_body": table["fonts"][look["body"]],
        "faces": {name: table["fonts"][name] for name in look.get("faces", ())},
        "scale": table["scale"],
    }
