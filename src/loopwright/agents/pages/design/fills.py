"""A brand colour is a fill to the digit; where a sheet also writes with it, the writing gets a token of its own."""

from collections import defaultdict
from collections.abc import Collection

from loopwright.agents.pages.compliance.cascade.colours import Colour
from loopwright.agents.pages.compliance.markup import Edit, apply_edits
from loopwright.agents.pages.design.nearest import role_of_token
from loopwright.agents.pages.design.schemes import default_scheme, is_on_root
from loopwright.agents.pages.design.source import Block, SourceDeclaration, read_source
from loopwright.agents.pages.design.tokens import read_design_system
from loopwright.agents.pages.design.values import parts_of

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
