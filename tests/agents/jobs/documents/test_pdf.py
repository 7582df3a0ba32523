"""PDFs: paragraphs, headings and numbers by their places; what cannot be read is refused in words that help."""

import io
from pathlib import Path

import pypdf
import pytest

from loopwright.agents.jobs import documents as reading_module
from loopwright.agents.jobs.documents import Document, read_document, stands_on_page
from loopwright.agents.jobs.documents.reader import read_pdf, read_pdf_plainly
from loopwright.kernel.errors import InvalidInput
from tests.agents.jobs.documents.makers import Set, make_pdf, paragraph

GOBD = Path(__file__).parents[5] / "shared" / "data" / "gobd" / "GoBD.pdf"


def shapes(document: Document, page: int = 1) -> list[tuple[str, str, str]]:
    """Kind, marker and text of a page's blocks."""
    found = document.page(page)
    assert found is not None
    return [(block.kind, block.marker, block.text) for block in found.blocks]


TITLES = {1: "Allgemeines", 2: "Ablage", 3: "Kontrolle", 4: "Schluss"}


def a_page(number: int) -> list[Set]:
    """A page with a header beside its first line, a heading, numbered paragraphs, a list and a footer."""
    return [
        Set(20, 760, f"Seite {number}", size=8),
        Set(100, 758, f"{number}. {TITLES[number]}", bold=True),
        Set(60, 730, str(2 * number - 1)),
        *paragraph(
            730, f"{TITLES[number]}: Belege sind so abzulegen, dass sie bei Bedarf wieder-", "gefunden werden können."
        ),
        Set(60, 690, str(2 * number)),
        *paragraph(690, f"Zu {TITLES[number]} gehören:"),
        Set(100, 668, "•"),
        *paragraph(668, "Rechnungen, die das Unternehmen empfängt oder versendet, mit allen", "Anlagen", x=120),
        Set(100, 640, "•"),
        *paragraph(640, f"Belege zu „{TITLES[number]}“", x=120),
        Set(100, 30, f"Stand 1.{number}.2026", size=8),
    ]


def test_a_page_is_read_by_its_places() -> None:
    """Headers and footers go, numbers in the margin become markers, broken words and paragraphs are whole."""
    document = read_document("a.pdf", make_pdf(*map(a_page, range(1, 5)), title="Über die Ablage"))
    assert (document.kind, document.title, len(document.pages)) == ("pdf", "Über die Ablage", 4)
    assert shapes(document, 2) == [
        ("heading", "", "2. Ablage"),
        ("paragraph", "3", "Ablage: Belege sind so abzulegen, dass sie bei Bedarf wiedergefunden werden können."),
        ("paragraph", "4", "Zu Ablage gehören:"),
        ("item", "•", "Rechnungen, die das Unternehmen empfängt oder versendet, mit allen Anlagen"),
        ("item", "•", "Belege zu „Ablage“"),
    ]
    page = document.page(2)
    assert page is not None
    assert all(page.text[block.start : block.end] == block.text for block in page.blocks)
    assert stands_on_page("bei Bedarf wieder-gefunden werden", page.text)


def test_contents_are_no_headings_and_dates_no_items() -> None:
    """Entries with dots and a page number; a line that begins with a date goes on with its sentence."""
    entries = [Set(100, 700 - 14 * n, f"{n}. Kapitel {'.' * 40} {n + 3}") for n in range(1, 5)]
    text = paragraph(
        500, "Das Schreiben gilt für alle Zeiträume, die nach dem Ablauf des Tages vor dem", "1. Januar 2020 beginnen."
    )
    found = shapes(read_pdf("a.pdf", make_pdf([*entries, *text])))
    assert [kind for kind, _, _ in found] == ["contents"] * 4 + ["paragraph"]
    assert found[-1][2].endswith("vor dem 1. Januar 2020 beginnen.")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b"no pdf at all", "is not what its name says"),
        (b"%PDF-1.7\n" + b"\x00garbage" * 50, "is damaged"),
        (make_pdf([Set(100, 700, "Cut off")])[:150], "is damaged"),
    ],
    ids=["empty", "another format", "garbage", "cut off"],
)
def test_what_is_no_pdf_is_refused(data: bytes, said: str) -> None:
    """The message names the file and what to do."""
    with pytest.raises(InvalidInput, match=said) as refusal:
        read_document("documents/a.pdf", data)
    assert "documents/a.pdf" in refusal.value.message
    assert refusal.value.hint


def test_encrypted_and_scanned_pdfs_are_named_so() -> None:
    """A password, and pages that are only pictures."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(make_pdf([Set(100, 700, "Secret")])))
    writer.encrypt("secret", algorithm="RC4-128")
    stream = io.BytesIO()
    writer.write(stream)
    for read in (read_pdf, read_pdf_plainly):
        with pytest.raises(InvalidInput, match="encrypted"):
            read("a.pdf", stream.getvalue())
        with pytest.raises(InvalidInput, match="2 pages, but no text: it is scanned"):
            read("a.pdf", make_pdf([], []))
    partly = read_pdf("a.pdf", make_pdf([Set(100, 700, "Only this page has text.")], []))
    assert partly.remarks == ("Pages without text (scanned, drawn or empty): 2.",)


def test_the_other_reader_needs_no_places() -> None:
    """Pypdf's plain text still has paragraphs and headings, and says that they are a guess."""
    lines = paragraph(700, "3.1 Storage", "") + paragraph(660, "The archive shall keep every record that", "it gets.")
    document = read_pdf_plainly("a.pdf", make_pdf(lines))
    assert "guess" in document.remarks[0]
    assert "The archive shall keep every record that it gets." in " ".join(text for _, _, text in shapes(document))


def test_a_reader_that_breaks_down_or_does_not_end_takes_nothing_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process of a reader may crash or hang; the caller is told in words."""
    read_document.cache_clear()
    monkeypatch.setattr(reading_module, "READER", "loopwright.agents.jobs.documents.no_such_reader")
    with pytest.raises(InvalidInput, match="its reader broke down"):
        read_document("a.html", b"<p>Text</p>")
    monkeypatch.setattr(reading_module, "READING_SECONDS", 0)
    with pytest.raises(InvalidInput, match="to read and was given up"):
        read_document("a.html", b"<p>Text</p>")


@pytest.mark.skipif(not GOBD.is_file(), reason="the GoBD are not in ../shared/data/gobd")
def test_the_real_regulation() -> None:
    """All 44 pages with text, all 182 numbered paragraphs in order, headings with their numbers, no page header."""
    document = read_document("GoBD.pdf", GOBD.read_bytes())
    assert len(document.pages) == 44
    numbers = [int(b.marker) for page in document.pages for b in page.blocks if b.kind == "paragraph" and b.marker]
    assert numbers == sorted(numbers)
    assert len(set(numbers)) >= 180
    assert set(numbers) <= set(range(1, 185))
    headings = [(page.number, heading.text) for page in document.pages for heading in page.headings]
    assert (36, "10.1 Verfahrensdokumentation") in headings
    assert (25, "6. Internes Kontrollsystem (IKS)") in headings
    assert not any(f"Seite {page.number}" in page.text for page in document.pages[3:])
    assert not any("\ufffe" in page.text or "\x02" in page.text for page in document.pages)
