"""The texts that an expression may give, one for each way in which its conditions can turn out.

Only what decides how markup looks is told apart: words between tags, addresses and names stand as `UNKNOWN` once there
are several of them. Conditions that exclude each other give no text together.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from loopwright.agents.pages.compliance.javascript.parsing import (
    NOTHING,
    Facts,
    ScriptKind,
    are_compatible,
    facts_when,
    nodes_in,
    parse_script,
    walk,
)
from loopwright.agents.pages.compliance.javascript.values import FUNCTIONS, UNKNOWN, Addition, Scopes, name_of

MAXIMUM_VARIANTS = 64
"""Texts of one expression; further ones are not looked at."""
MAXIMUM_CHARACTERS = 20_000
"""Of one text; a longer one counts as unknown."""
MAXIMUM_TOTAL = 10_000_000
"""Characters of all texts of a script, in-between results counted; what comes after them counts as unknown."""
MAX_DEPTH = 24
_LOOKS = re.compile(r"(?:class|style|hidden|open|disabled|checked|type|data-[\w-]*|aria-[\w-]*)$", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*(?:"[^"]*|'[^']*)$""")
_PICTURE = re.compile(
    r"icon|svg|html|emoji|symbol|glyph|art|ima?ge?|pic|star|logo|flag|check|mark|template", re.IGNORECASE
)
_TEXT_CALL = re.compile(
    r"\.(?:escape\w*|format\w*|to(?:Locale|Fixed|String|Upper|Lower)\w*|trim|padStart|String|Number|get\w+)$"
)
WORDS = f"{UNKNOWN}words"
"""Stands for a text that only running the script would tell, where some text there certainly is."""
_SAME_ITEMS = frozenset({"filter", "slice", "sort", "toSorted", "reverse", "toReversed", "concat", "flat", "trim"})


@dataclass(frozen=True, slots=True)
class _Option:
    text: str
    facts: Facts = NOTHING


class VariantReader:
    """Reads the expressions of one script."""

    def __init__(self, tree: Any) -> None:
        self.scopes = Scopes(tree)
        self._read: dict[int, list[_Option]] = {}
        self._known: dict[tuple[int, bool], Facts] = {}
        self._characters = 0

    def texts(self, node: Any) -> tuple[str, ...]:
        """What an expression may be as text, each text once."""
        return tuple(dict.fromkeys(option.text for option in self._options(node, 0)))

    def _options(self, node: Any, depth: int) -> list[_Option]:
        """The texts of an expression, each with what is known where it is given."""
        if depth > MAX_DEPTH or node is None or self._characters > MAXIMUM_TOTAL:
            return [_Option(UNKNOWN)]
        if id(node) not in self._read:
            self._read[id(node)] = [_Option(UNKNOWN)]  # for a function that calls itself
            self._read[id(node)] = self._work_out(node, depth)
        return self._read[id(node)]

    def _work_out(self, node: Any, depth: int) -> list[_Option]:
        match node.type:
            case "Literal" if isinstance(node.value, str | int | float):
                return [_Option(str(node.value).lower() if isinstance(node.value, bool) else str(node.value))]
            case "TemplateLiteral":
                return self._joined(_template_parts(node), depth)
            case "BinaryExpression" if node.operator == "+":
                return self._joined(_summands(node), depth)
            case "ConditionalExpression":
                return self._chosen(node, depth)
            case "LogicalExpression":
                return self._logical(node, depth)
            case "ArrayExpression":
                return self._kept(each for item in node.elements for each in self._options(item, depth + 1))
            case "CallExpression":
                return self._called(node, depth)
            case "Identifier":
                return self._named(node, depth)
            case kind if kind in FUNCTIONS:
                return self._returned(node, depth)
        return [_Option(guess_words(node))]

    def _kept(self, options: Iterable[_Option]) -> list[_Option]:
        """The first of them, each once, without their text where it is too long."""
        kept = [
            option if len(option.text) <= MAXIMUM_CHARACTERS else _Option(UNKNOWN, option.facts)
            for option in islice(dict.fromkeys(options), MAXIMUM_VARIANTS)
        ]
        self._characters += sum(len(option.text) for option in kept)
        return kept

    def _joined(self, parts: Sequence[Any], depth: int, between: str = "") -> list[_Option]:
        """A sum of texts: every combination that is possible, as far as it decides how markup looks."""
        found = [_Option("")]
        for number, part in enumerate(parts):
            options = [_Option(part)] if isinstance(part, str) else self._options(part, depth + 1)
            glue = between if number else ""
            found = self._kept(
                _Option(before.text + glue + _as_seen(after.text, before.text, options), before.facts | after.facts)
                for before in found
                for after in options
                if before.facts is NOTHING or after.facts is NOTHING or are_compatible(before.facts | after.facts)
            )
        return found

    def _chosen(self, node: Any, depth: int) -> list[_Option]:
        branches = ((node.consequent, True), (node.alternate, False))
        return self._kept(
            each
            for branch, holds in branches
            for each in self._given(node.test, holds, self._options(branch, depth + 1))
        )

    def _logical(self, node: Any, depth: int) -> list[_Option]:
        right = self._options(node.right, depth + 1)
        if node.operator == "&&":
            return self._kept([*self._given(node.left, True, right), *self._given(node.left, False, [_Option("")])])
        return self._kept([*self._options(node.left, depth + 1), *right])

    def _given(self, test: Any, holds: bool, options: Iterable[_Option]) -> list[_Option]:
        key = id(test), holds
        if key not in self._known:
            self._known[key] = facts_when(test, holds, self.scopes.value_of)
        facts = self._known[key]
        return [_Option(each.text, each.facts | facts) for each in options if are_compatible(each.facts | facts)]

    def _called(self, node: Any, depth: int) -> list[_Option]:
        callee = node.callee
        if callee.type == "MemberExpression" and not callee.computed:
            method = callee.property.name
            if method == "join" and callee.object.type == "ArrayExpression":
                between = node.arguments[0].value if node.arguments and node.arguments[0].type == "Literal" else ","
                return self._joined(callee.object.elements, depth, str(between))
            if method == "join" and callee.object.type == "CallExpression":
                return self._joined_items(callee.object, node, depth)
            if method in ("map", "flatMap", "reduce", "from") and node.arguments:
                return self._options(node.arguments[-1 if method == "from" else 0], depth + 1)
            if method in _SAME_ITEMS or method == "join":
                return self._options(callee.object, depth + 1)
        elif callee.type == "Identifier" and (function := self.scopes.value_of(callee)) is not None:
            return self._returned(function, depth)
        return [_Option(guess_words(node))]

    def _joined_items(self, items: Any, join: Any, depth: int) -> list[_Option]:
        """`["a", is && "b"].filter(Boolean).join(" ")` and `list.map(…).join("")`."""
        source = items.callee.object if items.callee.type == "MemberExpression" else None
        if source is not None and source.type == "ArrayExpression" and items.callee.property.name in _SAME_ITEMS:
            between = join.arguments[0].value if join.arguments and join.arguments[0].type == "Literal" else ","
            return self._joined(source.elements, depth, str(between))
        return self._options(items, depth + 1)

    def _returned(self, function: Any, depth: int) -> list[_Option]:
        if function.type not in FUNCTIONS:
            return [_Option(UNKNOWN)]
        if function.body.type != "BlockStatement":
            return self._options(function.body, depth + 1)
        found = []
        waiting = [function.body]
        while waiting:
            node = waiting.pop(0)
            if node.type == "ReturnStatement":
                found += self._options(node.argument, depth + 1)
            elif node.type not in FUNCTIONS:
                waiting += [each for value in vars(node).values() for each in nodes_in(value)]
        return self._kept(found) if found else [_Option(UNKNOWN)]

    def _named(self, name: Any, depth: int) -> list[_Option]:
        """A variable: its one value with the texts added to it under conditions, or an element that was made."""
        value = self.scopes.value_of(name)
        if value is None:
            return [_Option(guess_words(name))]
        if value.type == "CallExpression" and name_of(value.callee).endswith("createElement"):
            return self._made(name, value, depth)
        found = self._options(value, depth + 1)
        pieces = []
        for added in self.scopes.additions_to(name):
            options = self._options(added.value, depth + 1)
            if any("<" in each.text for each in options):
                pieces += options  # a row more: each is looked at by itself
            else:
                found = self._with_added(found, options, added)
        return self._kept([*found, *pieces])

    def _with_added(self, found: list[_Option], options: list[_Option], added: Addition) -> list[_Option]:
        """Texts with a piece that is added where the conditions around it hold."""
        given = [_Option("")]
        for test, holds in added.tests:
            options = self._given(test, holds, options)
            given = self._given(test, not holds, given)
        choices = [*options, *given] if added.tests else options
        return self._kept(
            _Option(before.text + after.text, before.facts | after.facts)
            for before in found
            for after in choices
            if are_compatible(before.facts | after.facts)
        )

    def _made(self, name: Any, made: Any, depth: int) -> list[_Option]:
        """An element of `document.createElement`, with the class and the markup that it is given."""
        tag = made.arguments[0].value if made.arguments and made.arguments[0].type == "Literal" else None
        if not isinstance(tag, str) or not re.fullmatch(r"[a-z][a-z0-9-]*", tag):
            return [_Option(UNKNOWN)]
        classes, inner = [_Option("")], [_Option(UNKNOWN)]
        for added in self.scopes.additions_to(name, ".className"):
            names = [_Option(f" {each.text}", each.facts) for each in self._options(added.value, depth + 1)]
            classes = self._with_added(classes, names, added)
        for added in self.scopes.additions_to(name, ".innerHTML"):
            inner = self._options(added.value, depth + 1)
        return self._kept(
            _Option(f'<{tag} class="{one.text}">{two.text}</{tag}>', one.facts | two.facts)
            for one in classes
            for two in inner
            if are_compatible(one.facts | two.facts)
        )


def _as_seen(text: str, before: str, options: Sequence[_Option]) -> str:
    """A piece as it is put after a text: of several where none decides how the markup looks, one stands for all."""
    if len(options) < 2 or "<" in text or "<" not in before:  # without markup it may be the value of a class
        return text
    if before.rfind("<") < before.rfind(">"):
        return next((each.text for each in options if _has_words(each.text) and "<" not in each.text), UNKNOWN)
    attribute = _ATTRIBUTE.search(before, before.rfind("<"))
    return text if attribute is None or _LOOKS.match(attribute[1]) else UNKNOWN


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


def guess_words(node: Any) -> str:
    """What stands for an expression that is not known: `WORDS` where its name tells that it is text, not a picture."""
    name = name_of(node.callee if node.type == "CallExpression" else node)
    if node.type in ("Identifier", "MemberExpression") and name:
        return UNKNOWN if _PICTURE.search(name) else WORDS
    is_text = node.type == "CallExpression" and _TEXT_CALL.search(f".{name}")
    return WORDS if is_text or node.type == "BinaryExpression" else UNKNOWN


def _template_parts(node: Any) -> list[Any]:
    parts: list[Any] = []
    for index, quasi in enumerate(node.quasis):
        parts.append(str(quasi.value.cooked or ""))
        parts += node.expressions[index : index + 1]
    return parts


def _summands(node: Any) -> list[Any]:
    """The parts of `a + b + c`, which the parser nests to the left."""
    parts: list[Any] = []
    while node.type == "BinaryExpression" and node.operator == "+":
        parts.append(node.right)
        node = node.left
    return [node, *reversed(parts)]


# The markup that a script writes into elements of its page, in each variant that its conditions allow.

_SELECTOR = re.compile(r"[#.][A-Za-z_][\w-]*(?:[ >.#][\w .#>-]*)?")
_APPENDING = frozenset({"append", "appendChild", "prepend", "replaceChildren"})
_ELEMENTS = frozenset({"Identifier", "CallExpression"})


@dataclass(frozen=True, slots=True)
class WrittenMarkup:
    """What is written into one element: `container` is the selector that the script finds it by."""

    container: str
    variants: tuple[str, ...]
    """HTML, with `UNKNOWN` for what only running the script would tell."""


@lru_cache(maxsize=256)
def written_markup(text: str, kind: ScriptKind) -> tuple[WrittenMarkup, ...]:
    """The markup that a script writes into elements which it finds by a selector, in the order of the source."""
    tree = parse_script(text, kind).tree
    if tree is None:
        return ()
    reader = VariantReader(tree)
    found = []
    for node, _, _ in walk(tree):
        for target, value in _writings(node, reader):
            container = selector_of(target, reader)
            variants = tuple(each for each in reader.texts(value) if "<" in each) if container else ()
            if container and variants:
                found.append(WrittenMarkup(container, variants))
    return tuple(found)


def _writings(node: Any, reader: VariantReader) -> Iterator[tuple[Any, Any]]:
    """Where markup may be written into an element, each as the element's expression and the markup's."""
    if node.type == "AssignmentExpression" and name_of(node.left).endswith(".innerHTML"):
        yield node.left.object, node.right
    elif node.type == "CallExpression" and node.arguments:
        method = name_of(node.callee).rpartition(".")[2]
        if method == "insertAdjacentHTML" and len(node.arguments) == 2:
            yield node.callee.object, node.arguments[1]
        elif method in _APPENDING and node.callee.type == "MemberExpression":
            yield from ((node.callee.object, each) for each in node.arguments if each.type in _ELEMENTS)
        else:  # a function of the script's own that takes an element and its content
            yield from ((node.arguments[0], each) for each in node.arguments[1:] if each.type not in FUNCTIONS)


def selector_of(target: Any, reader: VariantReader) -> str | None:
    """The selector of an element that is looked up by one; None for any other."""
    if target.type == "Identifier":
        target = reader.scopes.value_of(target) or target
    if target.type == "CallExpression" and len(target.arguments) >= 1:
        is_id = name_of(target.callee).endswith("getElementById")
        text = _literal(target.arguments[0])
        return f"#{text}" if is_id and text else _as_selector(text)
    return _as_selector(_literal(target))


def _literal(node: Any) -> str:
    return node.value if node.type == "Literal" and isinstance(node.value, str) else ""


def _as_selector(text: str) -> str | None:
    return text if _SELECTOR.fullmatch(text) else None


# Which classes and attributes a script gives to elements that are there, and by which selectors it finds elements.

_CLASS_METHODS = (".classList.add", ".classList.remove", ".classList.toggle", ".classList.replace")
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_QUERY = re.compile(r"[\w#.\[\]='\"*^$~|>+: ,()-]{1,200}")
_QUERYING = frozenset({"querySelector", "querySelectorAll", "closest", "matches"})
_SHOWING = frozenset({"showModal", "show", "showPopover"})


@dataclass(frozen=True, slots=True)
class ScriptChanges:
    """What a script may change of how elements look."""

    classes: frozenset[str] = frozenset()
    attributes: frozenset[tuple[str, str]] = frozenset()
    """Names with values; `UNKNOWN` for a value that only running the script would tell."""
    queries: frozenset[str] = frozenset()
    """Selectors, by which it finds elements."""
    targets: frozenset[tuple[str, str]] = frozenset()
    """Classes, each with the selector of an element that certainly gets or loses it."""
    reveals: bool = False
    """Whether it shows what was hidden."""


@lru_cache(maxsize=256)
def changes_of(text: str, kind: ScriptKind) -> ScriptChanges:
    """What a script may change, read and not run; nothing where it does not compile."""
    tree = parse_script(text, kind).tree
    if tree is None:
        return ScriptChanges()
    changes = _Changes(VariantReader(tree))
    for node, _, _ in walk(tree):
        if node.type == "CallExpression":
            changes.note_call(node)
        elif node.type == "AssignmentExpression":
            changes.note_assignment(node)
    return ScriptChanges(
        frozenset(changes.classes),
        frozenset(changes.attributes),
        frozenset(changes.queries),
        frozenset(changes.targets),
        changes.reveals,
    )


class _Changes:
    """Gathers the changes in one walk."""

    def __init__(self, reader: VariantReader) -> None:
        self.reader = reader
        self.classes: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.queries: set[str] = set()
        self.targets: set[tuple[str, str]] = set()
        self.reveals = False

    def note_call(self, node: Any) -> None:
        name, arguments = name_of(node.callee), node.arguments
        method = name.rpartition(".")[2]
        if f".{name}".endswith(_CLASS_METHODS):
            for each in arguments[:1] if method == "toggle" else arguments:
                self._note_classes(each, node.callee.object.object)
            return
        if method == "setAttribute" and len(arguments) == 2:
            for attribute in self._texts(arguments[0]):
                self._note_attribute(attribute, self._texts(arguments[1]))
            return
        if method in ("removeAttribute", "toggleAttribute") and arguments:
            self.reveals = self.reveals or "hidden" in self._texts(arguments[0])
            return
        self.reveals = self.reveals or method in _SHOWING
        for text in (self._texts(each) for each in arguments[:2]):
            for query in text:
                if method == "getElementById":
                    self.queries.add(f"#{query}")
                elif _QUERY.fullmatch(query) and (method in _QUERYING or any(sign in query for sign in ".#[")):
                    self.queries.add(query)

    def note_assignment(self, node: Any) -> None:
        name = name_of(node.left)
        owner, _, last = name.rpartition(".")
        if last == "className":
            self._note_classes(node.right, node.left.object)
        elif last == "hidden":
            self.reveals = True
        elif owner.endswith("dataset") or owner == "dataset":
            self._note_attribute("data-" + _dashed(last), self._texts(node.right))
        elif last.startswith("aria") and last[4:5].isupper():
            self._note_attribute("aria-" + last[4:].lower(), self._texts(node.right))

    def _note_classes(self, node: Any, owner: Any) -> None:
        words = {word for text in self._texts(node) for word in text.split() if _NAME.fullmatch(word)}
        self.classes |= words
        if selector := selector_of(owner, self.reader):
            self.targets |= {(word, selector) for word in words}

    def _note_attribute(self, name: str, values: tuple[str, ...]) -> None:
        if name == "class":
            self.classes |= {word for text in values for word in text.split() if _NAME.fullmatch(word)}
        elif name.startswith(("aria-", "data-")):
            self.attributes |= {(name, UNKNOWN if UNKNOWN in value else value) for value in values}

    def _texts(self, node: Any) -> tuple[str, ...]:
        return self.reader.texts(node)


def _dashed(name: str) -> str:
    """`dayOfWeek` as `day-of-week`, as `dataset` does."""
    return re.sub(r"[A-Z]", lambda letter: f"-{letter[0].lower()}", name)
