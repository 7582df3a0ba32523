"""Which lines of a document the checks look for: running headers aside, each of them, however often it stands there."""

from pathlib import Path

import pytest

from loopwright.agents.jobs.account.result import lines_of, uncovered

DUTY = "The operator shall keep a record."
CHAPTERS = "".join(f"{number}. Chapter\n\n{DUTY}\nWords about {number}.\n\n" for number in ("one", "two", "three"))


def row(text: str, document: str = "terms.txt") -> dict[str, str]:
    return {"document": document, "text": text}


@pytest.mark.parametrize("name", ["terms.txt", "terms.md", "terms.html"])
def test_a_sentence_that_stands_three_times_is_looked_for(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(CHAPTERS if name != "terms.html" else CHAPTERS.replace("\n", "<p>"), encoding="utf-8")
    assert lines_of(tmp_path / name).count(DUTY) == 3
    others = [line for line in CHAPTERS.splitlines() if line and line != DUTY]
    read = [row(line, name) for line in others]
    assert uncovered(tmp_path, name, read)[1] == [DUTY] * 3
    once = [*read, row(DUTY, name)]
    assert uncovered(tmp_path, name, once)[1] == [DUTY] * 3, "read once, it was not read three times"
    assert uncovered(tmp_path, name, [*read, *([row(DUTY, name)] * 3)])[1] == []


def test_a_link_of_markdown_is_read_by_its_words(tmp_path: Path) -> None:
    text = "The door shall be built as [the standard](https://example.org/a) says."
    (tmp_path / "terms.md").write_text(f"{text}\n", encoding="utf-8")
    assert uncovered(tmp_path, "terms.md", [row(text, "terms.md")]) == (1, [])


@pytest.mark.parametrize("end", ["[Page {0}]\n", "[Page {0}]\n\f"])
def test_running_lines_at_the_edges_of_pages_are_not(tmp_path: Path, end: str) -> None:
    body = "\n".join(f"Line {letter} of the text" for letter in "abcdefgh")
    pages = [
        f"RFC 1  Lamps  {n}\n\n{DUTY}\n{body}\nRFC 1  Lamps  {n}\n{body}\nSmith  {end.format(n)}" for n in range(4)
    ]
    (tmp_path / "terms.txt").write_text("".join(pages), encoding="utf-8")
    lines = lines_of(tmp_path / "terms.txt")
    assert lines.count(DUTY) == 4, "what ends a sentence is not a header, wherever it stands"
    assert not any(line.startswith("Smith") for line in lines)
    assert sum(line.startswith("RFC 1") for line in lines) == 4, "only those at the edge are headers"
