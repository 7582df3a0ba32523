"""A model's answer to an edit: what it asks for, carried out and proven, or why it cannot be used."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from loopwright.agents.pages.asking import CUT_OFF, Unusable
from loopwright.agents.pages.compliance import extract_html
from loopwright.agents.pages.compliance.markup import Edit
from loopwright.agents.pages.compliance.validate import calls_out
from loopwright.agents.pages.editing.applying import Inapplicable, apply_operations
from loopwright.agents.pages.editing.differences import Part, TooManyParts, align, all_parts, attributes_of, tree_of
from loopwright.agents.pages.editing.operations import Operation, operation_blocks, parse_operations
from loopwright.agents.pages.editing.regions import MAXIMUM_SHARE, Asker, Revision, Unmappable, replaced_share
from loopwright.agents.pages.editing.source_map import Names, SourceElement, SourceMap
from loopwright.agents.pages.editing.verifier import Damage, Preservation, prove
from loopwright.agents.pages.parsing.edits import EditScript, apply_replacements, parse_edits
from loopwright.agents.pages.promises.replay import NO_PROPOSALS, Proposals, split_promises

# From a whole page that a model sent to the smallest edit that gives the same page.

OWN_HEAD = frozenset({"style", "script", "title"})
"""What a model may change in a page's head; the rest of it is fixed: charset, viewport, design system."""


@dataclass(frozen=True, slots=True)
class Derived:
    """The edit that leads to a whole page; `removed` names the elements that the page lacks and nothing stands for."""

    revision: Revision
    removed: tuple[str, ...]


def edit_towards(before: str, wanted: str) -> Derived | None:
    """The old page with what differs in the wanted one; None when no edit of single elements leads there.

    Raises:
        Unmappable: one of the pages has markup that leaves open what belongs to what.
    """
    old, new = SourceMap(before), SourceMap(wanted)
    if any(not element.whole for element in (*old.elements, *new.elements)):
        return None
    alignment = _Alignment(old, new)
    try:
        revision = Revision.of(before).spliced(alignment.edits())
        reached = tree_of(SourceMap(revision.after))
    except (TooManyParts, Unmappable):
        return None
    if _body_keys(reached) != _body_keys(tree_of(new)):
        return None
    names = Names(old)
    return Derived(revision, tuple(names.of(element) for element in alignment.removed))


def _body_keys(root: Part) -> list[tuple[object, ...]]:
    """The meanings of what the model may change: everything outside the head, and its own elements in it."""
    found = []
    for part in all_parts(root):
        element = part.element
        if element is None or element.name in ("html", "head"):
            continue
        in_head = element.parent is not None and element.parent.name == "head"
        if element.name == "body" or (in_head and element.name in OWN_HEAD):
            found.append(part.key)
    return found


class _Alignment:
    """The edits that lead from one page to another."""

    def __init__(self, old: SourceMap, new: SourceMap) -> None:
        self.old = old
        self.new = new
        self.found: list[Edit] = []
        self.removed: list[SourceElement] = []

    def edits(self) -> list[Edit]:
        """The edits.

        Raises:
            TooManyParts: too much would have to be compared.
        """
        pairs = [(tree_of(self.old), tree_of(self.new))]
        while pairs:
            pairs += self._compare(*pairs.pop())
        return self.found

    def _compare(self, old: Part, new: Part) -> list[tuple[Part, Part]]:
        """Take over what differs in the parts themselves; gives the children that have to be compared in turn."""
        if old.key == new.key:
            return []
        one, other = old.element, new.element
        if one is not None and other is not None:
            if attributes_of(one.tag) != attributes_of(other.tag) and one.name not in ("html", "head"):
                self._replace(one.start, one.tag.end, other.start, other.tag.end)
            if not old.children and not new.children:
                self._replace(one.tag.end, one.content_end, other.tag.end, other.content_end)
                return []
        elif not old.children and not new.children:
            self._replace_text(old, new)
            return []
        return self._children(old, new)

    def _children(self, old: Part, new: Part) -> list[tuple[Part, Part]]:
        in_head = old.element is not None and old.element.name == "head"
        place = old.start if old.element is None else old.element.tag.end
        pairs = []
        for one, other in align(old.children, new.children):
            mine = not in_head or all(part is None or _name(part) in OWN_HEAD for part in (one, other))
            if one is not None and other is not None:
                pairs += [(one, other)] if mine else []
            elif one is not None and mine:
                self.found.append(Edit(one.start, one.end, ""))
                self.removed += [one.element] if one.element is not None else []
            elif other is not None and mine:
                text = self._own_line(place, self.new.html[other.start : other.end])
                self.found.append(Edit(place, place, text))
            place = one.end if one is not None else place
        return pairs

    def _replace(self, start: int, end: int, new_start: int, new_end: int) -> None:
        self.found.append(Edit(start, end, self.new.html[new_start:new_end]))

    def _replace_text(self, old: Part, new: Part) -> None:
        """The words change, the blanks around them stay."""
        text, wanted = self.old.html[old.start : old.end], self.new.html[new.start : new.end].strip()
        first = old.start + len(text) - len(text.lstrip())
        self.found.append(Edit(first, first + len(text.strip()), wanted))

    def _own_line(self, at: int, text: str) -> str:
        """A newcomer on a line of its own, where its neighbours stand so."""
        starts_line = self.old.html[at : at + 1] in ("\n", "\r")
        return f"\n{text}" if starts_line else text


def _name(part: Part) -> str:
    return "" if part.element is None else part.element.name


NAMED_DAMAGES = 4
WITHOUT_EFFECT = (
    "With your edit the HTML of the page is the same as before. Do what the instructions ask for, such as "
    "set_style for a colour, or say in words why nothing is to be done."
)

_COMMENT = re.compile(r"<!--[^>]{0,300}-->")
_ABBREVIATION = re.compile(
    r"<!--[^\w>]*(?:\.\.\.|…)|(?:\.\.\.|…)\W*-->|unchanged|\brest of\b|"
    r"<!--\W*(?:the )?(?:existing|remaining|keep the|same as)\b|其余|省略|保持不变|原有内容",
    re.IGNORECASE,
)
_DOCUMENT = re.compile(r"(?:<!doctype\s+html|<html\b).*</html\s*>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class PageEdit:
    """The page after an answer, with the one-line summary and the proof; without both when nothing was to be done."""

    revision: Revision | None
    preserved: Preservation | None
    summary: str
    proposals: Proposals = NO_PROPOSALS
    """Checks that the model proposes for the record of promises."""


def read_edit(
    answer: str, html: str, slug: str, asker: Asker, finish: Callable[[Revision], Revision]
) -> PageEdit | Unusable:
    """What an answer makes of a page.

    Args:
        answer: search/replace blocks, operations, both, a whole page, or words that say why nothing is to be done.
        html: the page.
        slug: the page's name.
        asker: what the user asked for.
        finish: completes the edit within its own regions, before it is proven.
    """
    operations = parse_operations(answer)
    if isinstance(operations, str):
        return Unusable(operations)
    words, proposals = split_promises(_without_operations(answer))
    script = parse_edits(words)
    if isinstance(script, str):
        return Unusable(script)
    if not script.blocks and not operations:
        edit = _read_whole_page(words, script.summary, html, slug, asker, finish)
    else:
        revision = _carried_out(html, script, operations or ())
        if isinstance(revision, Unusable):
            return revision
        edit = _proven(finish(revision), slug, script.summary, asker)
    return edit if isinstance(edit, Unusable) else replace(edit, proposals=proposals)


def _without_operations(answer: str) -> str:
    for fence in reversed(operation_blocks(answer)):
        answer = answer[: fence.start] + answer[fence.end :]
    return answer


def _carried_out(html: str, script: EditScript, operations: Sequence[Operation]) -> Revision | Unusable:
    edited = apply_replacements(html, script.blocks)
    if isinstance(edited, str):
        return Unusable(edited)
    try:
        return apply_operations(edited.revision, operations)
    except Inapplicable as error:
        return Unusable(str(error))


def _read_whole_page(
    words: str, summary: str, html: str, slug: str, asker: Asker, finish: Callable[[Revision], Revision]
) -> PageEdit | Unusable:
    """An answer without blocks: a page of which only the differences are taken, or words."""
    document = extract_html(words)
    if document.status == "truncated":
        return Unusable(f"You sent a whole page, and it was cut off. {CUT_OFF} Send only what changes.")
    if document.html is None:
        if not summary:
            return Unusable("Your answer is empty. Send search/replace blocks, or say why nothing is to be done.")
        return PageEdit(None, None, summary)
    try:
        derived = edit_towards(html, document.html)
    except Unmappable as error:
        return Unusable(f"You sent a whole page that cannot be compared with the old one: {error}. {_AS_AGREED}")
    if derived is None:
        return Unusable(f"You sent a whole page in which too much is different. {_AS_AGREED}")
    if derived.removed and not asker.wants_removal():
        named = ", ".join(f"`{selector}`" for selector in derived.removed[:NAMED_DAMAGES])
        return Unusable(f"You sent a whole page from which {named} is missing. {_AS_AGREED}")
    told = parse_edits(_DOCUMENT.sub("", words))
    return _proven(finish(derived.revision), slug, told.summary if isinstance(told, EditScript) else "", asker)


_AS_AGREED = "Send only what the instructions ask for, as search/replace blocks or operations."


def _proven(revision: Revision, slug: str, summary: str, asker: Asker) -> PageEdit | Unusable:
    if revision.after == revision.before:
        return PageEdit(None, None, summary) if summary else Unusable(WITHOUT_EFFECT)
    was_whole = extract_html(revision.before).status == "complete"
    if was_whole and extract_html(revision.after).status != "complete":
        return Unusable("After this edit the page would no longer be a whole HTML document. Keep its end tags.")
    if reached := _calls_out_anew(revision):
        return Unusable(f"{'; '.join(reached)}. A prototype reaches no other host: keep its data in the page.")
    try:
        proof = prove(revision)
    except Unmappable as error:
        return Unusable(f"The saved page cannot be edited safely, because {error}; it has to be written anew.")
    if not isinstance(proof, Preservation):
        return Unusable(_complaint(proof))
    if placeholder := _placeholder(revision):
        return Unusable(f"Your edit has {placeholder} where content belongs. Write out what stands there.")
    share = replaced_share(revision, proof.regions, removal_is_wanted=asker.wants_removal())
    if share > MAXIMUM_SHARE and not (asker.wants_rewrite(slug) or asker.wants_all_texts()):
        return Unusable(
            f"Your edit replaces {share:.0%} of the page's body. That is a rewrite, for which the user did not ask. "
            f"{_AS_AGREED}"
        )
    return PageEdit(revision, proof, summary)


def _placeholder(revision: Revision) -> str | None:
    """A comment of the edit that stands for what it leaves out, as models abbreviate."""
    old = set(_COMMENT.findall(revision.before))
    new = (match[0] for match in _COMMENT.finditer(revision.after) if match[0] not in old)
    return next((comment[:80] for comment in new if _ABBREVIATION.search(comment)), None)


def _calls_out_anew(revision: Revision) -> list[str]:
    """What the edit makes the page do on other hosts that it did not do before."""
    reached = calls_out(revision.after)
    before = set(calls_out(revision.before)) if reached else set()
    return [each for each in reached if each not in before]


def _complaint(damages: Sequence[Damage]) -> str:
    named = "; ".join(f"`{damage.selector}` {damage.what}" for damage in damages[:NAMED_DAMAGES])
    more = f"; and {len(damages) - NAMED_DAMAGES} more" if len(damages) > NAMED_DAMAGES else ""
    return (
        f"Your edit changes what it should leave alone: {named}{more}. Close every tag that you open, keep those that "
        "you found, and change nothing but what the instructions ask for. To put something around an element, replace "
        "the whole element."
    )
