"""The GoBD, 44 pages of German law as PDF: cited, searched, and kept out of memory."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pypdf
import pytest

from loopwright.agents.jobs.tools.documents import ExtractDocumentText
from loopwright.agents.jobs.tools.files import ReadFile, WriteFile
from loopwright.agents.jobs.tools.web import CiteDocument, WebSearch
from tests.agents.jobs.desk import Desk, opened_desk

GOBD = Path(__file__).parents[5] / "shared" / "data" / "gobd" / "GoBD.pdf"
PATH = "documents/GoBD.pdf"
pytestmark = pytest.mark.skipif(not GOBD.is_file(), reason="the sample document is not beside the repository")

# As one would type them from the printed page: without its line breaks and hyphenation.
QUOTES = {
    4: "auch alle Unterlagen in Form von Daten, Datensätzen und elektronischen Dokumenten, die dokumentieren, dass die "
    "Ordnungsvorschriften umgesetzt und deren Einhaltung überwacht wurde",
    5: "Form, Umfang und Inhalt dieser im Sinne der Rzn. 3 bis 5 nach außersteuerlichen und steuerlichen "
    "Rechtsnormen aufzeichnungs- und aufbewahrungspflichtigen Unterlagen",
}


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with opened_desk(tmp_path, language="de") as opened:
        shutil.copy(GOBD, opened.folder / "documents")
        yield opened


def squeezed(text: str) -> str:
    return "".join(character for character in text if character.isalnum()).casefold()


async def test_quotes_stand_on_the_page_that_another_reader_finds_them_on(desk: Desk) -> None:
    result = await desk.call(CiteDocument(), path=PATH, citations=[{"quote": quote} for quote in QUOTES.values()])
    assert result.success, result.output
    reader = pypdf.PdfReader(GOBD)
    cited = await desk.stores.sources.citations(desk.job_id)
    assert len(cited) == len(QUOTES)
    for citation in cited:
        page = squeezed(reader.pages[(citation.page or 0) - 1].extract_text())
        assert squeezed(citation.verbatim_quote) in page
    wrong = await desk.call(CiteDocument(), path=PATH, quote=QUOTES[5], page=(cited[1].page or 0) + 1)
    assert f"it stands on page {cited[1].page}" in wrong.output


async def test_a_passage_of_it_needs_its_source_in_memory(desk: Desk) -> None:
    await desk.call(ReadFile(), path=PATH, page_start=4, page_end=6)
    note = f"# Notes\n\nDie GoBD sagen: {QUOTES[5]}"
    assert PATH in (await desk.call(WriteFile(), path="workspace.md", content=note)).output
    assert (await desk.call(WriteFile(), path="workspace.md", content=f"{note} [source: GoBD.pdf, S. 5]")).success
    await desk.call(CiteDocument(), path=PATH, quote=QUOTES[5])
    assert (await desk.call(WriteFile(), path="workspace.md", content=f"{note} [CIT-001]")).success
    assert not (await desk.call(WriteFile(), path="workspace.md", content=f"{note} [CIT-002]")).success


async def test_what_is_read_in_its_extracted_text_is_the_documents(desk: Desk) -> None:
    await desk.good(ExtractDocumentText(), path=PATH)
    text = await desk.good("read_file", path="extracted/GoBD_full_text.txt", line_start=40, line_end=90)
    note = " ".join(text.partition(">\n")[2].split()[20:60])
    assert PATH in await desk.refused("write_file", path="workspace.md", content=note)
    await desk.good("write_file", path="workspace.md", content=f"{note} [source: {PATH}, p. 4]")


async def test_the_search_names_pages(desk: Desk) -> None:
    result = await desk.call(WebSearch(), query="Unveränderbarkeit Protokollierung von Änderungen")
    hits = (result.artifacts or {})["hits"]
    assert hits
    assert all(hit["locator"] == PATH and 1 <= hit["page"] <= 44 for hit in hits)
