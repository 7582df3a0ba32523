"""The jobs agent's account: its checks, and its reading of statements."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.jobs.account.result import (
    FORMATS,
    READING_FILE,
    Stored,
    digest,
    in_section,
    lines_of,
    reading_rows,
    squeezed,
    stored,
    uncovered,
    written_rows,
)
from loopwright.kernel.account import (
    AccountKit,
    Check,
    Claim,
    Declined,
    Measured,
    NotMeasurable,
    Reading,
    Statement,
)

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun


# Which statement becomes which claim, by rules: what has a word that no rule accounts for is left unread.

WORD = re.compile(r"[^\W_]+(?:[-./][^\W_]+)*", re.UNICODE)
QUOTED = re.compile(r"[\"“”„«»]([^\"“”„«»]{12,})[\"“”„«»]")
SINGLE_QUOTED = re.compile(r"(?<!\w)['‘‚][^'‘’‚]+['’](?!\w)")
PAGES = re.compile(
    r"\b(?:pages?|pp?\.|Seiten?|S\.)\s*(\d{1,4})(?:\s*(?:-|–|to|through|bis)\s*(\d{1,4}))?", re.IGNORECASE
)
SECTIONS = re.compile(
    r"(?:\b(?:sections?|chapters?|clauses?|Abschnitte?s?|Kapiteln?s?)|§§?)\s*"
    r"(\d{1,3}(?:\.\d{1,3})*(?:\s*(?:,|and|und|&|or|oder)\s*\d{1,3}(?:\.\d{1,3})*)*)",
    re.IGNORECASE,
)
NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,3})*")
FILE = re.compile(r"[\w-]+\.(?:csv|json|md)\b", re.IGNORECASE)
NOT_WRITTEN = {
    "en": "{what} is not written; the requirements are in {files}.",
    "de": "{what} wird nicht geschrieben; die Anforderungen stehen in {files}.",
}


async def read_statements(run: "AgentRun", statements: Sequence[Statement]) -> Mapping[str, Reading]:
    """The claims that these statements make of the job's result."""
    documents = [str(path) for path in run.state.options.get("documents", [])]
    language = str(run.state.options.get("config", {}).get("language") or "en")
    found = {each.id: read_statement(each.text, documents, language) for each in statements}
    places = [each for each in found.values() if isinstance(each, Claim) and each.check in ("read", "only")]
    narrowed = [each for each in places if len(each.arguments) > 2]
    if len(narrowed) == 1:  # "all" is all of what the same order names
        within = {**narrowed[0].arguments, "scope": "all"}
        for key, each in found.items():
            if isinstance(each, Claim) and each.check == "every_sentence_settled":
                found[key] = Claim(check="read", arguments={**within, "sought": each.arguments["sought"]})
    return {key: reading for key, reading in found.items() if reading is not None}


def read_statement(text: str, documents: Sequence[str], language: str = "en") -> Reading | None:
    """What one statement says, or None where the rules do not account for all of its words."""
    if not documents or SINGLE_QUOTED.search(text):
        return None
    quoted = QUOTED.search(text)
    if quoted is not None:
        rest = text.replace(quoted[0], " ")
        known = _known("frame", "requirements", "sentences", "documents", "all")
        return Claim(check="found", arguments={"quote": quoted[1]}) if _only_of(rest, known) else None
    return (
        _format(text, documents, language)
        or _count(text)
        or _kind(text)
        or _places(text, documents)
        or _all(text, documents)
    )


def _format(text: str, documents: Sequence[str], language: str) -> Reading | None:
    if any(word in text for path in documents for word in (path, path.rpartition("/")[2])):
        return None
    words = _words(text)
    refused = [word for word in words if word in _list("not_written")]
    before = {words[place - 1] for place, word in enumerate(words) if word in refused and place}
    if refused and {"as", "als"} & set(words) and not before & set(_list("input")):
        what = NOT_WRITTEN.get(language, NOT_WRITTEN["en"])
        return Declined(what.format(what=refused[0], files=", ".join(FORMATS.values())))
    formats: Mapping[str, str] = _table("formats")
    file = FILE.search(text)
    named = [formats[word] for word in words if word in formats]
    if file is not None:
        named = [formats[file[0].rpartition(".")[2].lower()]]
    if len(set(named)) != 1:
        return None
    rest = text.replace(file[0], " ") if file is not None else text
    known = _known("frame", "output", "requirements", "all") | set(formats)
    arguments = {"format": named[0], "name": file[0] if file is not None else ""}
    return Claim(check="written", arguments=arguments) if _only_of(rest, known) else None


def _count(text: str) -> Reading | None:
    lowered = " ".join(text.lower().split())
    relations: Mapping[str, str] = _table("relations")
    named = [words for words in relations if re.search(rf"\b{re.escape(words)}\b", lowered)]
    numbers = re.findall(r"\b\d{1,5}\b", lowered)
    if len(named) != 1 or len(numbers) != 1:
        return None
    rest = lowered.replace(named[0], " ").replace(numbers[0], " ")
    if not set(_words(rest)) & set(_list("requirements")) or not _only_of(rest, _known("frame", "requirements")):
        return None
    return Claim(check="count", arguments={"relation": relations[named[0]], "requirements": int(numbers[0])})


def _kind(text: str) -> Reading | None:
    types: Mapping[str, str] = _table("types")
    words = _words(text)
    named = {types[word] for word in words if word in types}
    if len(named) != 1 or not set(words) & set(_list("only")) or not set(words) & set(_list("requirements")):
        return None
    if not _only_of(text, _known("frame", "requirements", "only", "documents") | set(types)):
        return None
    return Claim(check="only_kind", arguments={"field": "type", "value": named.pop()})


def _places(text: str, documents: Sequence[str]) -> Reading | None:
    pages, sections = PAGES.findall(text), SECTIONS.findall(text)
    named, rest = _documents(PAGES.sub(" ", SECTIONS.sub(" ", text)), documents)
    if not pages and not sections and not named:
        return None
    arguments: dict[str, Any] = {"documents": named or list(documents)}
    if len(pages) > 1:
        return None
    if pages and pages[0][1]:
        arguments |= {"from_page": int(pages[0][0]), "to_page": int(pages[0][1])}
    elif pages:
        arguments["pages"] = [int(pages[0][0])]
    if sections:
        arguments["sections"] = [number for found in sections for number in NUMBER.findall(found)]
    words = set(_words(rest))
    known = _known("frame", "documents", "places", "requirements", "sentences", "only", "all")
    if not _only_of(rest, known):
        return None
    is_only = bool(words & set(_list("only"))) and bool(pages or sections)
    if words & set(_list("all")):
        arguments["scope"] = "all"
    return Claim(check="only" if is_only else "read", arguments=arguments | {"sought": _sought(words)})


def _all(text: str, documents: Sequence[str]) -> Reading | None:
    named, rest = _documents(text, documents)
    words = set(_words(rest))
    about = words & {*_list("requirements"), *_list("sentences"), *_list("documents")}
    if not about or not _only_of(rest, _known("frame", "documents", "requirements", "sentences", "all")):
        return None
    if not words & set(_list("all")) and not words & set(_list("requirements")):
        return None
    arguments = {"documents": named or list(documents), "scope": "all", "sought": _sought(words)}
    return Claim(check="every_sentence_settled", arguments=arguments)


def _sought(words: set[str]) -> str:
    """What was asked for of the documents, as the checks name it."""
    return "requirements" if words & set(_list("requirements")) else "text"


def _documents(text: str, documents: Sequence[str]) -> tuple[list[str], str]:
    """The documents that a text names, by file name or stem, and the text without their names."""
    named: list[str] = []
    for path in sorted(documents, key=len, reverse=True):
        name = path.rpartition("/")[2]
        for word in (path, name, name.rpartition(".")[0]):
            pattern = re.compile(rf"(?<![\w.]){re.escape(word)}(?![\w])", re.IGNORECASE)
            if len(word) >= 3 and pattern.search(text):
                named.append(path)
                text = pattern.sub(" ", text)
                break
    return sorted(named), text


def _only_of(text: str, known: set[str]) -> bool:
    return all(word in known for word in _words(text))


def _words(text: str) -> list[str]:
    return [word.lower() for word in WORD.findall(text)]


def _known(*names: str) -> set[str]:
    return {word for name in names for word in _list(name)}


def _list(name: str) -> Sequence[str]:
    found: Sequence[str] = _table(name)
    return found


@cache
def _table(name: str) -> Any:
    told = json.loads(resources.files(__package__).joinpath("words.json").read_text(encoding="utf-8"))
    return told[name]


# The arguments of a job's checks: what a claim promises.


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Documents(_Arguments):
    """Which documents: their paths in the job's folder; `sought` is what was asked for in them."""

    documents: list[str] = Field(min_length=1)
    scope: Literal["all", "every", "each", ""] = ""
    sought: Literal["requirements", "text"] = "text"


class Places(Documents):
    """Which pages (from, to) and sections of them; none named: all."""

    from_page: int = 0
    to_page: int = 0
    pages: list[int] = Field(default_factory=list)
    sections: list[str] = Field(default_factory=list)


class Written(_Arguments):
    """A format of the requirements."""

    format: Literal["csv", "json", "markdown"]
    name: str = ""


class FoundQuote(_Arguments):
    """Words that a requirement's quote has."""

    quote: str = Field(min_length=1)


class Count(_Arguments):
    """How many requirements there are."""

    relation: Literal[">=", "<=", "==", ">", "<"]
    requirements: int = Field(ge=0)


class Kind(_Arguments):
    """The only type or priority of the requirements."""

    field: Literal["type", "priority"]
    value: str = Field(min_length=1)


# The checks of a job: they read folder, store and documents by themselves, and import nothing that made them.

UNREAD = frozenset({"not read", "outside the order"})
FOUND, PASSED = "requirement", "no requirement"
STORE = "loopwright jobs requirements"


async def every_sentence_settled(run: "AgentRun", wanted: Documents) -> Measured:
    """Every line of the documents, read anew, stands in output/reading.csv, and no piece of them was left unread."""
    rows = await reading_rows(run, wanted.documents)
    return await _settled(run, rows, wanted, rows)


async def read(run: "AgentRun", wanted: Places) -> Measured:
    """No piece of these pages and sections was left unread; the document's lines stand in output/reading.csv."""
    rows = await reading_rows(run, wanted.documents)
    within = [row for row in rows if _within(row, wanted)]
    if not within:
        return Measured(False, "the documents have no text there", READING_FILE, digest(run.output_dir, READING_FILE))
    missing = _named_but_absent(rows, wanted)
    if missing:
        return Measured(False, f"not in the documents: {missing}", READING_FILE, digest(run.output_dir, READING_FILE))
    return await _settled(run, rows, wanted, within)


async def only(run: "AgentRun", wanted: Places) -> Measured:
    """The pages and sections were read, and every stored requirement is quoted from them."""
    place = await read(run, wanted)
    rows = await reading_rows(run, wanted.documents)
    allowed = {row["requirement_id"] for row in rows if row["requirement_id"] and _within(row, wanted)}
    there = await stored(run.services, run.state.session_id)
    outside = [each for each in there if each.requirement_id not in allowed]
    told = f"{len(there) - len(outside)} of {len(there)} requirements lie there; {place.value}"
    return Measured(place.holds and not outside and bool(there), told, place.where, place.digest)


async def written(run: "AgentRun", wanted: Written) -> Measured:
    """The file has each stored requirement once, with its words, and no other."""
    path = FORMATS[wanted.format]
    if wanted.name and wanted.name not in (path, path.rpartition("/")[2]):
        return Measured(False, f"{wanted.name} is not there; {path} is", path)
    rows = written_rows(run.output_dir, path)
    there = {each.requirement_id: each for each in await stored(run.services, run.state.session_id)}
    same = sorted(name for name, _ in rows) == sorted(there)
    worded = sum(name in there and there[name].stands_in(row) for name, row in rows)
    told = f"{path} has {len(rows)} requirements, {worded} of them in words of the store, which has {len(there)}"
    return Measured(same and worded == len(rows) > 0, told, path, digest(run.output_dir, path))


async def found(run: "AgentRun", wanted: FoundQuote) -> Measured:
    """A stored requirement quotes these words, and they stand in its document, read anew."""
    sought = squeezed(wanted.quote)
    if not sought:
        raise NotMeasurable("the quote has no letters")
    for each in await stored(run.services, run.state.session_id):
        for quote, page in zip(each.quotes, each.pages, strict=True):
            if sought in squeezed(quote) and sought in _text(run.output_dir, each.document):
                place = f"{each.document}, p. {page}" if page else each.document
                return Measured(True, f"{each.requirement_id}: {quote[:200]}", place)
    return Measured(False, "no requirement quotes these words", STORE)


async def count(run: "AgentRun", wanted: Count) -> Measured:
    """So many requirements are stored; towards a least number counts what has words and a quote of its own."""
    there = await stored(run.services, run.state.session_id)
    most, least = len(there), _own(run.output_dir, there)
    holds: dict[str, bool] = {
        ">=": least >= wanted.requirements,
        "<=": most <= wanted.requirements,
        "==": least == most == wanted.requirements,
        ">": least > wanted.requirements,
        "<": most < wanted.requirements,
    }
    told = f"{most} requirements are stored, {least} of them with words and a quote of their own that stands there"
    return Measured(holds[wanted.relation], told, STORE)


async def only_kind(run: "AgentRun", wanted: Kind) -> Measured:
    """Every stored requirement has this type or priority."""
    there = await stored(run.services, run.state.session_id)
    other = [each for each in there if getattr(each, wanted.field) != wanted.value]
    told = f"{len(there) - len(other)} of {len(there)} requirements have the {wanted.field} {wanted.value}"
    return Measured(bool(there) and not other, told, STORE)


def _own(folder: Path, there: Sequence[Stored]) -> int:
    """How many have words that no other has, and a quote that no other has and that stands in their document."""
    texts = {document: _text(folder, document) for document in {each.document for each in there}}
    words, quotes = set[str](), set[str]()
    number = 0
    for each in there:
        fresh = {q for q in map(squeezed, each.quotes) if q and q in texts[each.document]} - quotes
        if fresh and squeezed(each.text) not in words:
            number += 1
        quotes |= fresh
        words.add(squeezed(each.text))
    return number


async def _settled(
    run: "AgentRun", rows: Sequence[dict[str, str]], wanted: Documents, judged: Sequence[dict[str, str]]
) -> Measured:
    """Whether these rows are all read, what they found is in the store, and the documents have no line beside them.

    Where requirements were sought, there are some, and no verdict stands against that of the rules.
    """
    folder = run.output_dir
    unread = [row for row in judged if row["outcome"] in UNREAD]
    there = {each.requirement_id for each in await stored(run.services, run.state.session_id)}
    found_there = [row for row in judged if row["outcome"] == FOUND]
    gone = [row for row in found_there if row["requirement_id"] not in there]
    doubted = [row for row in judged if row["outcome"] == PASSED and row["remark"]]
    lines, lost = 0, list[str]()
    for document in wanted.documents:
        number, missing = uncovered(folder, document, rows)
        lines, lost = lines + number, lost + missing
    told = f"{len(judged)} pieces of text, {len(unread)} of them not read; {len(found_there)} are requirements"
    told += f", about {len(doubted)} more rules and model do not agree; " if doubted else "; "
    told += f"{lines - len(lost)} of {lines} lines of the documents stand in {READING_FILE}"
    if lost:
        told += f"; the first that does not: {lost[0][:120]!r}"
    if gone:
        told += f"; {len(gone)} requirements of {READING_FILE} are not in the store"
    sure = wanted.sought == "text" or (bool(found_there) and not doubted)
    return Measured(
        sure and not (unread or lost or gone) and lines > 0, told, READING_FILE, digest(folder, READING_FILE)
    )


def _within(row: dict[str, str], wanted: Places) -> bool:
    page = int(row["page"] or 0)
    if not wanted.from_page and not wanted.pages and not wanted.sections:
        return True
    in_range = bool(wanted.from_page) and wanted.from_page <= page <= max(wanted.to_page, wanted.from_page)
    return in_range or page in wanted.pages or in_section(row["section"], wanted.sections)


def _named_but_absent(rows: Sequence[dict[str, str]], wanted: Places) -> str:
    """Pages and sections that were named and that the documents do not have."""
    pages = {int(row["page"] or 0) for row in rows}
    named = [*wanted.pages, *([wanted.from_page, max(wanted.to_page, wanted.from_page)] if wanted.from_page else [])]
    absent = [f"page {page}" for page in named if page not in pages]
    sections = {row["section"] for row in rows}
    absent += [f"section {each}" for each in wanted.sections if not any(in_section(s, [each]) for s in sections)]
    return ", ".join(absent)


def _text(folder: Path, document: str) -> str:
    path = folder / document
    return "".join(squeezed(line) for line in lines_of(path)) if document and path.is_file() else ""


CHECKS: tuple[Check, ...] = tuple(
    Check(name, arguments, measure)
    for name, arguments, measure in (
        ("every_sentence_settled", Documents, every_sentence_settled),
        ("read", Places, read),
        ("only", Places, only),
        ("written", Written, written),
        ("found", FoundQuote, found),
        ("count", Count, count),
        ("only_kind", Kind, only_kind),
    )
)


def _applies(run: "AgentRun") -> bool:
    """Without documents there is nothing to measure."""
    return bool(run.state.options.get("documents"))


ACCOUNT = AccountKit(checks=CHECKS, read=read_statements, applies=_applies)
