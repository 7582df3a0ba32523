"""What a job leaves, read as its user gets it: the files in its folder, and the stored requirements."""

import csv
import hashlib
import io
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree
from zipfile import ZipFile

from pypdf import PdfReader

from loopwright.kernel.account import NothingThereYet, NotMeasurable

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun


# The text of a document line by line, read here anew: what the checks compare with what the job says it has read.

WORDML = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
UNSHOWN = frozenset({"script", "style", "head", "title", "template", "noscript"})
INLINE = frozenset(
    {"a", "abbr", "b", "cite", "code", "dfn", "em", "i", "kbd", "mark", "q", "samp", "small", "span"}
) | {
    "strong",
    "sub",
    "sup",
    "tt",
    "u",
    "var",
    "wbr",
}
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
NUMBER = re.compile(r"\d+")
PAGE_END = re.compile(r"(\[Page \d{1,4}\][ \t]*\n)")
"""The last line of a page in text files that have no form feeds."""
SENTENCE_END = re.compile(r"[.!?;:。]\W*$")
RECURS = 3
"""What stands at the edge of so many pages (numbers aside), and ends no sentence, is a running header or footer."""
EDGE = 5
"""Lines at the top and at the bottom of a page that may be running ones."""


def lines_of(path: Path) -> list[str]:
    """The lines with letters or digits, without running headers and footers.

    Raises:
        NotMeasurable: this kind of file cannot be read here.
    """
    readers = {
        ".pdf": _pdf,
        ".docx": _docx,
        ".html": _html,
        ".htm": _html,
        ".md": _markdown,
        ".txt": _plain,
        "": _plain,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise NotMeasurable(f"{path.suffix} files cannot be read a second time")
    pages = [[line for line in page if squeezed(line)] for page in reader(path)]
    seen = Counter(key for page in pages for key in {_running(line) for line in (*page[:EDGE], *page[-EDGE:])})
    return [
        line
        for page in pages
        for place, line in enumerate(page)
        if EDGE <= place < len(page) - EDGE or seen[_running(line)] < RECURS or SENTENCE_END.search(line)
    ]


def shown(text: str, name: str) -> str:
    """The text as a reader of this file sees it: links of Markdown without their addresses."""
    return LINK.sub(r"\1", text) if name.lower().endswith(".md") else text


def squeezed(text: str) -> str:
    """Letters and digits alone, in small letters: what is left when layout does not count."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _running(line: str) -> str:
    return NUMBER.sub("#", " ".join(line.split()))


def _plain(path: Path) -> Iterator[list[str]]:
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    for page in (text if "\f" in text else PAGE_END.sub("\\1\f", text)).split("\f"):
        yield page.splitlines()


def _markdown(path: Path) -> Iterator[list[str]]:
    for page in _plain(path):
        yield [shown(line, path.name) for line in page]


def _pdf(path: Path) -> Iterator[list[str]]:
    for page in PdfReader(path).pages:
        yield (page.extract_text() or "").splitlines()


def _docx(path: Path) -> Iterator[list[str]]:
    with ZipFile(path) as packed:
        body = ElementTree.fromstring(packed.read("word/document.xml"))  # noqa: S314  (read for comparison only)
    yield ["".join(piece.text or "" for piece in paragraph.iter(f"{WORDML}t")) for paragraph in body.iter(f"{WORDML}p")]


class _Shown(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = [""]
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in UNSHOWN
        if tag not in INLINE:
            self.lines.append("")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in UNSHOWN and self._hidden > 0
        if tag not in INLINE:
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.lines[-1] += data


def _html(path: Path) -> Iterator[list[str]]:
    reader = _Shown()
    reader.feed(path.read_text(encoding="utf-8", errors="replace"))
    yield reader.lines


READING_FILE = "output/reading.csv"
FORMATS = {"csv": "output/requirements.csv", "json": "output/requirements.json", "markdown": "output/requirements.md"}
"""Where the requirements stand in each format."""
ROW = re.compile(r"^\|\s*(?!-|\s)(?P<first>[^|]+?)\s*\|.*$", re.MULTILINE)
LEADING_NUMBER = re.compile(r"\W*(?:[^\W\d_]{1,12}\.?\s+)?(\d{1,3}(?:\.\d{1,3})*)\b")
MARKER_WORDS = 3
"""Words at the beginning of a line that may be the mark of an item."""
PAGE = 500


@dataclass(frozen=True)
class Stored:
    """A requirement of the store, with its quotes and where they stand."""

    requirement_id: str
    text: str
    type: str
    priority: str
    document: str
    quotes: tuple[str, ...]
    pages: tuple[int | None, ...]

    def stands_in(self, text: str) -> bool:
        """Whether a squeezed text has its words, or one of its quotes."""
        return any(squeezed(each) in text for each in (self.text, *self.quotes) if squeezed(each))


async def reading_rows(run: "AgentRun", documents: Sequence[str]) -> list[dict[str, str]]:
    """The rows of output/reading.csv that are about these documents.

    Raises:
        NothingThereYet: the file is missing, has none, or is not as the controller wrote it.
    """
    path = run.output_dir / READING_FILE
    if not path.is_file():
        raise NothingThereYet(f"nothing tells what became of each sentence: {READING_FILE} is not there")
    job = json.loads(await run.services.jobs.load(run.state.session_id) or "{}")
    if job.get("written", {}).get(READING_FILE) != digest(run.output_dir, READING_FILE):
        raise NothingThereYet(f"{READING_FILE} is not what was written when the documents were read")
    with path.open(encoding="utf-8", newline="") as file:
        rows = [dict(row) for row in csv.DictReader(file)]
    found = [row for row in rows if row.get("document") in documents]
    if not found:
        raise NothingThereYet(f"{READING_FILE} has nothing about {', '.join(documents)}")
    return found


def uncovered(folder: Path, document: str, rows: Sequence[Mapping[str, str]]) -> tuple[int, list[str]]:
    """How many lines the document has, read anew, and those that do not stand in the rows.

    The last line of a sentence stands there as often as in the document; of the others, headings stand in contents too.
    """
    told = "".join(squeezed(shown(row["text"], document)) for row in rows if row["document"] == document)
    lines = lines_of(folder / document)
    times = Counter(squeezed(line) for line in lines if SENTENCE_END.search(line))
    return len(lines), [line.strip() for line in lines if not _stands(line, told, times[squeezed(line)] or 1)]


def _stands(line: str, told: str, times: int) -> bool:
    """Whether a line stands there so many times, without its first words where these may be the mark of an item."""
    words = line.split()
    rests = (squeezed(" ".join(words[skipped:])) for skipped in range(MARKER_WORDS + 1))
    return any(not rest or told.count(rest) >= times for rest in rests)


def in_section(section: str, wanted: Sequence[str]) -> bool:
    """Whether a heading's number is one of these, or lies below one."""
    number = LEADING_NUMBER.match(section)
    return number is not None and any(number[1] == each or number[1].startswith(f"{each}.") for each in wanted)


def written_rows(folder: Path, path: str) -> list[tuple[str, str]]:
    """The requirements of a written file: the id and the whole row, squeezed, of each.

    Raises:
        NothingThereYet: the file is missing, or is not in its format.
    """
    file = folder / path
    if not file.is_file():
        raise NothingThereYet(f"{path} is not there")
    text = file.read_text(encoding="utf-8")
    try:
        if path.endswith(".csv"):
            rows = csv.DictReader(io.StringIO(text))
            return [(row["requirement_id"], squeezed("".join(map(str, row.values())))) for row in rows]
        if path.endswith(".json"):
            return [(str(e["requirement_id"]), squeezed("".join(map(str, e.values())))) for e in json.loads(text)]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise NothingThereYet(f"{path} cannot be read as what its name says: {error}") from error
    return [(match["first"], squeezed(match[0])) for match in ROW.finditer(text)][1:]


async def stored(services: Any, job_id: str) -> list[Stored]:
    """The job's requirements, asked of the store."""
    sources = await services.sources.locators(job_id)
    cited = {each.citation_id: each for each in await services.sources.citations(job_id)}
    found: list[Stored] = []
    while rows := await services.requirements.find(job_id=job_id, limit=PAGE, offset=len(found)):
        for row in rows:
            bearing = [cited[name] for name in row.citations if name in cited]
            found.append(
                Stored(
                    row.requirement_id,
                    row.text,
                    row.type,
                    row.priority,
                    row.source_document or (str(sources.get(bearing[0].source_id, "")) if bearing else ""),
                    tuple(each.verbatim_quote for each in bearing),
                    tuple(each.page for each in bearing),
                )
            )
    return found


def digest(folder: Path, path: str) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256((folder / path).read_bytes()).hexdigest()
