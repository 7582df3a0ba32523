"""How the runs of this agent read on the terminal."""

from collections.abc import Iterator
from typing import Any

from loopwright.cli.running import printable, program


def ending_lines(line: dict[str, Any]) -> Iterator[str]:
    """What came of a run, and what to do next."""
    if line["type"] != "complete":
        return
    for kind, path in (line.get("artifacts") or {}).items():
        yield (f"{kind:<10} {line['output_dir']}/{path}")
    plan = line["plan_id"]
    yield (f"Plan       {plan}   ({line['nodes']} nodes, {line['blocks']} blocks, {line['makespan_days']} days)")
    yield (f'Change     {program()} plan replan {plan} "I lost Tuesday"')
    yield (f'Ask        {program()} plan why {plan} "a task\'s title"')


def plan_lines(details: dict[str, Any]) -> Iterator[str]:
    """A plan: its lines and its first blocks of time, and what is not kept."""
    if details.get("rfc"):
        yield f"  {details['rfc']}"
    yield from (f"  {line}" for line in details.get("lines") or [])
    if "change" in details:
        yield from (f"  {printable(line)}" for line in details["change"] or ["nothing moves"])
        yield from (f"  ! Not kept: {printable(line)}" for line in details.get("not_kept") or [])
        return
    blocks = details.get("blocks") or []
    for block in blocks[:14]:
        yield f"  {block['start'][:10]} {block['start'][11:16]}–{block['end'][11:16]}  {block['title']}"
    if details.get("block_count"):
        gap = "" if details.get("gap") is None else f", at most {details['gap']:.0%} from the best possible"
        yield f"  {details['block_count']} blocks in all ({details.get('status')}{gap}; {details.get('timezone')})"
    yield from (f"  ! Not kept: {printable(line)}" for line in details.get("not_kept") or [])
