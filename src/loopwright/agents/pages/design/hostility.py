"""What has no place in a style sheet that pages carry: other files, other hosts, and code."""

from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.agents.pages.compliance.cascade.sheet import StyleSheet as FlatSheet
from loopwright.agents.pages.compliance.cascade.tokens import CssToken, parse_values, walk
from loopwright.agents.pages.compliance.markup import Edit, apply_edits
from loopwright.agents.pages.design.source import CssSource, read_source

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
