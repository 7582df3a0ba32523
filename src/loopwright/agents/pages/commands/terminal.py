"""How the runs of this agent read on the terminal."""

from collections.abc import Iterator
from typing import Any

from loopwright.cli.running import program


def ending_lines(line: dict[str, Any]) -> Iterator[str]:
    """What came of a run, and what to do next."""
    if line["type"] != "complete":
        return
    if line.get("pages"):
        folder = line["session_dir"]
        yield (f"Pages      {', '.join(line['pages'])}" + ("" if line.get("valid") else "   (with open issues)"))
        for issue in line.get("issues", [])[:8]:
            yield (f"           ! {issue}")
        for each in (line.get("promises") or {}).get("superseded", []):
            yield (f"Promises   {each['by']} is in the place of {each['promise_id']} now: “{each['request'][:80]}”")
        shown = line.get("active_page_slug") or line["pages"][0]
        yield (f"Open       {folder}/pages/{shown}.html")
    yield (f'Refine     {program()} pages --session {line["session_id"]} "make the header green"')
