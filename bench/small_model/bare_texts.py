"""The bare loop's tools that write a page, and that copy requirements."""

from pathlib import Path
from typing import Any

from bench.small_model.judge_jobs import page_of


class Page:
    """One HTML file."""

    prompt = (
        "You write one web page for a phone. Answer with one step as JSON: write_page with the whole HTML "
        "document, from <!doctype html> to </html>, with its style in a <style> element and, where something has "
        "to work, a small <script>. Show everything that the user names, in their words and language. Keep it "
        "short."
    )
    most_tokens = 1_800

    def __init__(self, case: dict[str, Any], place: Path, data: Path | None) -> None:
        self.folder = place / "out"
        self.folder.mkdir(parents=True, exist_ok=True)
        html = {"type": "string", "maxLength": 7_000}
        self.tools = {
            "write_page": {
                "type": "object",
                "properties": {"html": html},
                "required": ["html"],
                "additionalProperties": False,
            }
        }

    def first(self, message: str) -> str:
        """The brief."""
        return message

    def use(self, tool: str, arguments: dict[str, Any]) -> str:
        """Write it."""
        (self.folder / "index.html").write_text(str(arguments["html"]), encoding="utf-8")
        return "Written."

    def outcome(self) -> dict[str, Any]:
        """The folder."""
        return {"folder": self.folder}


class Quotes:
    """The requirements of a page."""

    prompt = (
        "You find the requirements in a page of a specification: sentences that say what must, must not, should, "
        "should not, may or is required to be done. Answer with one step as JSON: record with a list of quotes, "
        "each one whole sentence copied exactly from the page, in the page's order. Leave out what requires "
        "nothing."
    )
    most_tokens = 1_400

    def __init__(self, case: dict[str, Any], place: Path, data: Path | None) -> None:
        if data is None:
            raise ValueError("the folder of the RFCs is needed")
        self.page = page_of(data, case)
        self.quotes: list[str] = []
        quote = {"type": "string", "maxLength": 700}
        self.tools = {
            "record": {
                "type": "object",
                "properties": {"quotes": {"type": "array", "items": quote, "maxItems": 20}},
                "required": ["quotes"],
                "additionalProperties": False,
            }
        }

    def first(self, message: str) -> str:
        """The page alone, its lines joined where a paragraph goes on."""
        parts = [" ".join(part.split()) for part in self.page.split("\n\n")]
        return "\n\n".join(part for part in parts if part)

    def use(self, tool: str, arguments: dict[str, Any]) -> str:
        """Keep them."""
        self.quotes = [str(quote) for quote in arguments["quotes"]]
        return "Recorded."

    def outcome(self) -> dict[str, Any]:
        """The quotes."""
        return {"extra": {"requirements": self.quotes}}
