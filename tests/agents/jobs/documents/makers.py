"""Documents made by the tests: PDFs operator by operator, DOCX files, packages."""

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import docx

from loopwright.agents.jobs.documents.document import ESCAPED

PAGE_HEIGHT = 800
PAGE = re.compile(r"\f\[page (\d+)\]\n")


class Set(NamedTuple):
    """A text as it is set on a page, in points from the lower left corner."""

    x: float
    y: float
    text: str
    size: float = 12
    bold: bool = False


def paragraph(y: float, *lines: str, x: float = 100, pitch: float = 14) -> list[Set]:
    """Lines below each other."""
    return [Set(x, y - number * pitch, line) for number, line in enumerate(lines)]


def make_pdf(*pages: Sequence[Set], title: str = "") -> bytes:
    """A PDF of version 1.4 in Helvetica, with the Western European characters of Windows."""
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
    ]
    for number, page in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 {PAGE_HEIGHT}] /Contents {6 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>".encode()
        )
        content = b"\n".join(map(_operators, page))
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    objects.append(f"<< /Title ({title}) >>".encode("cp1252"))
    return _file(objects)


def make_docx(*parts: tuple[str, str], pages_after: Sequence[int] = ()) -> bytes:
    """A DOCX of paragraphs, each with its style; a page break set by hand follows those numbered in `pages_after`."""
    document = docx.Document()
    for number, (style, text) in enumerate(parts):
        if style == "Row":
            row = document.add_table(rows=0, cols=text.count("|") + 1).add_row()
            for cell, words in zip(row.cells, text.split("|"), strict=True):
                cell.text = words
            continue
        document.add_paragraph(text, style=style)
        if number in pages_after:
            document.add_page_break()
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def make_zip(files: dict[str, bytes]) -> bytes:
    """A package with these files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in files.items():
            package.writestr(name, data)
    return stream.getvalue()


def _operators(part: Set) -> bytes:
    text = part.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    font = "F2" if part.bold else "F1"
    return f"BT /{font} {part.size} Tf {part.x} {part.y} Td ({text}) Tj ET".encode("cp1252")


def _file(objects: Sequence[bytes]) -> bytes:
    data = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF" % (size, size - 1, len(data))
    return data + b"xref\n0 %d\n0000000000 65535 f \n%s%s" % (size, table, trailer)


def pages_in(text: str) -> Iterator[tuple[int, str]]:
    """The pages in a full text, with their numbers, as `Page.text` has them."""
    marks = [*PAGE.finditer(text)]
    for mark, end in zip(marks, [*(following.start() for following in marks[1:]), len(text)], strict=True):
        lines = text[mark.end() : end].removesuffix("\n").split("\n")
        yield int(mark[1]), "\n".join(map(_unmarked, lines))


def _unmarked(line: str) -> str:
    if line.startswith("\\") and ESCAPED.match(line):
        return line[1:]
    return re.sub(r"^#{1,6} ", "", line)
