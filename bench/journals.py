"""What runs have asked of their models, out of their journals: calls, tokens, repairs, and how much could be cached.

    python bench/journals.py RUN.jsonl …        journals as `loopwright runs events RUN --json` prints them
    python bench/journals.py --json RUN.jsonl …

The share is of the prompt's tokens that begin an earlier request of the run, over all requests but the first; nested
requests of tools count as calls, and not in the share.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from rig.prefix import cached_share, prompt_size

from loopwright.kernel.events import Event
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.replay import past_requests, use_of_models
from loopwright.models.body import body_of


@dataclass(frozen=True)
class Counted:
    """One run. `cacheable` is None where the journal does not tell how its requests were put."""

    run: str
    agent: str
    status: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    repairs: int
    first_request: int
    cacheable: float | None


def events_in(path: Path) -> list[Event]:
    """The events of a file, one a line."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [Event.model_validate(line) for line in lines if "seq" in line]


def counted(run: str, events: Sequence[Event]) -> Counted:
    """The figures of one run."""
    uses = list(use_of_models(events).values())
    bodies = bodies_of(run, events)
    shares = cached_share(bodies)
    sizes = [prompt_size(body) for body in bodies[1:]]
    cacheable = sum(share * size for share, size in zip(shares, sizes, strict=True)) / sum(sizes) if sizes else None
    return Counted(
        run=run,
        agent=str(next((e.payload["agent"] for e in events if e.type == "run_created"), "")),
        status=events[-1].type.removeprefix("run_"),
        calls=sum(use.calls for use in uses),
        prompt_tokens=sum(use.prompt_tokens for use in uses),
        completion_tokens=sum(use.completion_tokens for use in uses),
        repairs=sum(use.repairs for use in uses),
        first_request=prompt_size(bodies[0]) if bodies else 0,
        cacheable=cacheable,
    )


def bodies_of(run: str, events: Sequence[Event]) -> list[dict[str, Any]]:
    """The run's own requests as they stood on the wire."""
    prompts = PromptRepository({"models": "loopwright.models"})
    own = (request for request in past_requests(run, events) if request.step is not None and request.sent is not None)
    return [json.loads(body_of(each.messages, each.tools, each.sent, prompts).json) for each in own if each.sent]


def table(rows: Sequence[Counted]) -> str:
    """The figures, a run a line."""
    head = "run            agent       status     calls   prompt  answer repairs  first cache"
    lines = [
        f"{row.run[:14]:<14} {row.agent:<11} {row.status:<10} {row.calls:>5} {row.prompt_tokens:>8,}"
        f" {row.completion_tokens:>7,} {row.repairs:>7} {row.first_request:>6,}"
        f" {'' if row.cacheable is None else f'{row.cacheable:.0%}':>5}"
        for row in rows
    ]
    return "\n".join([head, *lines])


def main() -> None:
    """Read, count, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("journals", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true", help="print one JSON object a run")
    options = parser.parse_args()
    events = [event for path in options.journals for event in events_in(path)]
    rows = [counted(run, list(own)) for run, own in groupby(events, key=lambda event: event.run_id)]
    print("\n".join(json.dumps(asdict(row)) for row in rows) if options.json else table(rows))


if __name__ == "__main__":
    main()
