"""The process that reads one document: `python -m loopwright.agents.jobs.documents.reader READER NAME < FILE`."""

import json
import resource
import sys
from collections.abc import Callable

from loopwright.agents.jobs.documents.document import Document
from loopwright.agents.jobs.documents.limits import READING_MEGABYTES, READING_SECONDS
from loopwright.agents.jobs.documents.read_docx import read_docx
from loopwright.agents.jobs.documents.read_html import read_html
from loopwright.agents.jobs.documents.read_pdf import read_pdf, read_pdf_plainly
from loopwright.agents.jobs.documents.reading import to_json
from loopwright.kernel.errors import InvalidInput

READERS: dict[str, Callable[[str, bytes], Document]] = {
    "pdf": read_pdf,
    "plain_pdf": read_pdf_plainly,
    "docx": read_docx,
    "html": read_html,
}


def main(reader: str, name: str) -> None:
    """Read standard input and write the document, or why it was refused, as JSON. Anything else ends the process."""
    _limit(resource.RLIMIT_CPU, READING_SECONDS)
    _limit(resource.RLIMIT_DATA, READING_MEGABYTES * 2**20)
    _limit(resource.RLIMIT_FSIZE, 0)
    try:
        answer = to_json(READERS[reader](name, sys.stdin.buffer.read()))
    except InvalidInput as error:
        answer = {"error": error.message, "hint": error.hint}
    sys.stdout.write(json.dumps(answer))


def _limit(which: int, most: int) -> None:
    _, hard = resource.getrlimit(which)
    wanted = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(which, (wanted, hard))


if __name__ == "__main__":
    main(*sys.argv[1:])
