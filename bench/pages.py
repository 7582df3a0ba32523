"""The pages agent beside itself: how soon a page can be looked at, and what compaction and selective injection save.

    python bench/pages.py [--json] [--rounds 3] [--edits 24]

The built-in offline model builds apps out of briefs (time and tokens until the first page, until the app), then a long
session of edits on one of them is played four times in turn: with compaction and with selective injection, and without
each. Tokens are those that the offline model counts, as a language model would be sent them. Ends with 1 and names the
bars if any is missed.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from rig.bars import Bar

from loopwright.agents.pages.context import system_prompt
from loopwright.agents.pages.contracts import SectionPatch
from loopwright.agents.pages.services import pages_stores
from loopwright.agents.pages.tools import writing as generate_page
from loopwright.app.answering import answer_and_go_on, load_state
from loopwright.app.loopwright import Loopwright
from loopwright.app.settings import Settings
from loopwright.app.starting import NewRun, start_run
from loopwright.app.watching import watch_run
from loopwright.kernel.events import Event
from loopwright.kernel.gates import default_answers

BRIEFS = (
    "A coffee shop app called Bean There, 5 pages, green accent, for locals",
    "Netflix clone, 5 pages, dark theme, red accent, for film lovers",
    "A booking app for a yoga studio called Stillpoint, 5 pages, calm blue, for beginners",
)
EDITS = (
    "make the header {colour} on the home page",
    'change the title of the home page to "Good morning {number}"',
    "make the buttons larger on the menu page",
    "add a section with opening hours to the home page",
    "make the prices {colour} on the menu page",
    "add a testimonials section to the home page",
)
COLOURS = ("green", "navy", "teal", "purple", "brown", "black")
SECTIONS = 18
"""Sections of the product doc in a project that people have worked on for a while."""
NEVER = 100_000


@asynccontextmanager
async def opened(folder: Path, **settings: Any) -> AsyncIterator[Loopwright]:
    """An application of its own, without an endpoint."""
    own = {"home": folder / "home", "output_dir": folder / "out", "self_check": 0, **settings}
    async with Loopwright.open(Settings(openai_base_url=None, openai_api_key=None, **own)) as application:
        yield application


async def play(application: Loopwright, message: str, session_id: str | None = None) -> dict[str, Any]:
    """One run to its end, with the agent's own answers; what it took, and what it took to the first page."""
    begin = time.perf_counter()
    first: float | None = None
    record = await start_run(application, NewRun(message=message, session_id=session_id))
    seen = 0
    while True:
        async for piece in watch_run(application, record.run_id, seen, until_pause=True):
            if isinstance(piece, Event):
                seen = piece.seq
                if piece.type == "page_version_created" and first is None:
                    first = time.perf_counter() - begin
        state = await load_state(application, record.run_id)
        if state.open_gate is None:
            break
        await answer_and_go_on(application, record.run_id, default_answers(state.open_gate))
    return {
        "session_id": record.session_id,
        "seconds": time.perf_counter() - begin,
        "first_page_seconds": first,
        "tokens": state.tokens,
        "dialogue_tokens": await dialogue_tokens(application, record.run_id),
        "requests": state.steps,
    }


async def dialogue_tokens(application: Loopwright, run_id: str) -> int:
    """Tokens that were sent in the dialogue itself; what tools ask is the same whatever is remembered."""
    events = await application.stores.journal.read(run_id)
    return sum(e.payload["usage"]["prompt_tokens"] for e in events if e.type == "model_response" and e.payload["usage"])


async def build(rounds: int) -> dict[str, float]:
    """Briefs to apps: medians over briefs and rounds."""
    done = []
    for _ in range(rounds):
        for brief in BRIEFS:
            with TemporaryDirectory() as folder:
                async with opened(Path(folder)) as application:
                    done.append(await play(application, brief))
    return {
        "seconds to the first page": median(d["first_page_seconds"] for d in done),
        "seconds to the app": median(d["seconds"] for d in done),
        "tokens per app": median(d["tokens"] for d in done),
        "requests of the dialogue per app": median(d["requests"] for d in done),
    }


def patches() -> list[SectionPatch]:
    """A product doc as it grows: each section concerns something of its own."""
    topics = ("delivery", "allergens", "loyalty", "staff", "suppliers", "photography", "accessibility", "events")
    sections = []
    for number in range(SECTIONS):
        topic = topics[number % len(topics)]
        text = f"What was agreed about {topic}, part {number}. " + f"The {topic} follow rule {number}. " * 30
        sections.append(SectionPatch(name=f"{topic}_{number}", title=f"{topic.title()} {number}", content=text))
    return sections


@contextmanager
def whole_doc() -> Iterator[None]:
    """Every section of the product doc in every prompt, as if none were chosen."""

    def everything(sections: Mapping[str, Any], *_: Any, **__: Any) -> dict[str, str]:
        return {name: section.content for name, section in sections.items()}

    places = (system_prompt, generate_page)
    chosen = [place.relevant_sections for place in places]
    try:
        for place in places:
            place.relevant_sections = everything  # type: ignore[assignment]
        yield
    finally:
        for place, own in zip(places, chosen, strict=True):
            place.relevant_sections = own


async def session_tokens(edits: int, *, compact: bool, inject: bool) -> int:
    """Tokens of the dialogue over a long session of edits on one app."""
    settings = {} if compact else {"compact_threshold": NEVER}
    with TemporaryDirectory() as folder:
        async with opened(Path(folder), **settings) as application:
            built = await play(application, BRIEFS[0])
            session_id = built["session_id"]
            docs = (await pages_stores(application)).product_docs
            await docs.apply(session_id, patches(), author="user", idempotency_key="bench")
            total = 0
            for number in range(edits):
                text = EDITS[number % len(EDITS)].format(colour=COLOURS[number % len(COLOURS)], number=number)
                if inject:
                    total += (await play(application, text, session_id))["dialogue_tokens"]
                else:
                    with whole_doc():
                        total += (await play(application, text, session_id))["dialogue_tokens"]
            return total


async def measure(rounds: int, edits: int) -> dict[str, float]:
    """Everything, in turn."""
    figures = await build(rounds)
    figures["session: tokens as it is"] = await session_tokens(edits, compact=True, inject=True)
    figures["session: tokens without compaction"] = await session_tokens(edits, compact=False, inject=True)
    figures["session: tokens with the whole doc"] = await session_tokens(edits, compact=True, inject=False)
    figures["session: tokens without either"] = await session_tokens(edits, compact=False, inject=False)
    return figures


def bars(figures: Mapping[str, float]) -> list[Bar]:
    """What must hold."""
    own = figures["session: tokens as it is"]
    return [
        Bar(
            "of the time to the app for the first page",
            figures["seconds to the first page"] / figures["seconds to the app"],
            1.0,
        ),
        Bar("of the tokens without compaction", own / figures["session: tokens without compaction"], 0.95),
        Bar("of the tokens with the whole doc", own / figures["session: tokens with the whole doc"], 0.8),
        Bar("of the tokens without either", own / figures["session: tokens without either"], 0.75),
    ]


def main() -> None:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=3, help="builds of each brief")
    parser.add_argument("--edits", type=int, default=24, help="edits of the long session")
    options = parser.parse_args()
    figures = asyncio.run(measure(options.rounds, options.edits))
    judged = bars(figures)
    if options.json:
        print(json.dumps({"figures": figures, "bars": [asdict(bar) | {"held": bar.held} for bar in judged]}))
    else:
        for name, value in figures.items():
            print(f"{value:14,.2f}  {name}" if value < 1_000 else f"{value:14,.0f}  {name}")
        print()
        for bar in judged:
            print(bar)
    missed = [bar.name for bar in judged if not bar.held]
    if missed:
        sys.exit(f"missed: {'; '.join(missed)}")


if __name__ == "__main__":
    main()
