"""How the runs of this agent read on the terminal."""

from collections.abc import Iterator
from typing import Any

from loopwright.cli.running import program


def ending_lines(line: dict[str, Any]) -> Iterator[str]:
    """What came of a run, and what to do next."""
    if line["type"] != "complete":
        yield f"Go on      {program()} jobs resume {line['session_id']}"
        return
    settled = ", ".join(f"{count} {status}" for status, count in line["settled"].items() if count)
    yield (f"Phases     {line['phases']}")
    yield (f"Found      {line['requirements']} requirements" + (f"; settled: {settled}" if settled else ""))
    for path in line["deliverables"][:12]:
        yield (f"Written    {line['workspace']}/{path}")
    yield (f"See        {program()} jobs show {line['job_id']}   and   {program()} jobs requirements {line['job_id']}")
