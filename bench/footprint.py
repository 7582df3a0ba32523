"""What a run takes besides the network: disk, memory, steps per second of CPU, and what the kernel's import costs.

    python bench/footprint.py [--json] [--quick]

The conversation is English prose (the pages of docs/), different at every step, so that packing it is not made easy.
Its size is that of the messages as an endpoint gets them. Processor time is counted, not the clock's: another program
on the machine does not count as ours. Ends with 1 and names the bars if any is missed.
"""

import argparse
import asyncio
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Final

from rig.bars import Bar, exit_code
from rig.ours import in_memory, on_sqlite, spec, to_its_end
from rig.task import MODEL, Steps

from loopwright.kernel.events import ModelResponse, Usage
from loopwright.kernel.messages import ToolCall
from loopwright.kernel.ports import DeltaSink, ModelRequest, Profile, Tier
from loopwright.kernel.prompts import PromptRepository
from loopwright.kernel.run import Toolbox
from loopwright.models.answer import repair_arguments

DOCS: Final = Path(__file__).parent.parent / "docs"
PASSAGE, SAID, ASKED = 420, 60, 30
"""Characters of a tool's result, of what the model says beside a call, and of the call's argument."""

STEPS: Final = 300
LIVE, LIVE_STEPS = 1_000, 3
"""Runs at once for the memory, each after so many steps."""


PROSE: Final = "".join(path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md")))


class Reader:
    """Reads the documentation from its beginning, over and over."""

    def __init__(self) -> None:
        """At the beginning."""
        self._at = 0

    def passage(self, characters: int) -> str:
        """The next so many characters."""
        if self._at + characters > len(PROSE):
            self._at = 0
        self._at += characters
        return PROSE[self._at - characters : self._at]


class Passages(Steps):
    """The tool's results: other prose at each call."""

    def __init__(self) -> None:
        """At the beginning."""
        super().__init__()
        self._reader = Reader()

    def done(self) -> str:
        """The next passage."""
        super().done()
        return self._reader.passage(PASSAGE)


class Talking:
    """A model in this process: it calls the tool so often, then is done; or it never answers its last request."""

    def __init__(self, calls: int, *, hangs: bool = False) -> None:
        """Know how often; with `hangs` the request after the last call is never answered."""
        self._calls, self._hangs, self._reader = calls, hangs, Reader()
        self.hanging = asyncio.Semaphore(0)
        self.last: ModelRequest | None = None

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """Call the tool, or end."""
        self.last = request
        made = sum(message.role == "tool" for message in request.messages)
        usage = Usage(prompt_tokens=900 + 170 * made, completion_tokens=40)
        if made >= self._calls:
            if self._hangs:
                self.hanging.release()
                await asyncio.Event().wait()
            return ModelResponse(text="All is done.", usage=usage, cost_usd=0.002, model=MODEL)
        arguments = json.dumps({"query": self._reader.passage(ASKED), "limit": 5})
        calls = [ToolCall(id=f"call_{made}", name="search", arguments=arguments)]
        said = self._reader.passage(SAID)
        return ModelResponse(
            text=said, tool_calls=calls, usage=usage, cost_usd=0.002, model=MODEL, finish_reason="tool_calls"
        )

    def estimate_cost(self, request: ModelRequest) -> float | None:
        """Next to nothing."""
        return 0.002

    def profile(self, tier: Tier = "standard", model: str | None = None) -> Profile:
        """A frontier model."""
        return "frontier"

    def context_tokens(self, tier: Tier = "standard", model: str | None = None) -> int | None:
        """Unknown."""
        return None


def conversation_bytes(request: ModelRequest) -> int:
    """The messages as an endpoint gets them."""
    told = []
    for message in request.messages:
        one: dict[str, object] = {"role": message.role, "content": message.content}
        if message.tool_calls:
            one["tool_calls"] = [
                {"id": each.id, "type": "function", "function": {"name": each.name, "arguments": each.arguments}}
                for each in message.tool_calls
            ]
        if message.tool_call_id:
            one["tool_call_id"] = message.tool_call_id
        told.append(one)
    return len(json.dumps(told, ensure_ascii=False).encode())


async def disk() -> tuple[int, int, int]:
    """Bytes of the SQLite file after a long run, of an empty one, and of the run's conversation."""
    agent = spec(STEPS, "You are an assistant that answers questions about a shop. " * 20)
    toolbox = Toolbox.of(agent, PromptRepository({agent.name: agent.prompts}), repair_arguments)
    model = Talking(STEPS)
    with tempfile.TemporaryDirectory() as full, tempfile.TemporaryDirectory() as empty:
        async with on_sqlite(1, Path(full)) as stored:
            await to_its_end(agent, toolbox, stored.journal, stored.claims[0], model, Passages())
        async with on_sqlite(0, Path(empty)):
            pass
        sizes = [size_of(full), size_of(empty)]
    if model.last is None:
        raise AssertionError("the model was never asked")
    return sizes[0], sizes[1], conversation_bytes(model.last)


def size_of(folder: str) -> int:
    """Bytes of the files in a folder."""
    return sum(path.stat().st_size for path in Path(folder).iterdir())


async def memory() -> float:
    """Kilobytes of resident memory for each of many runs that wait for their model."""
    agent = spec(LIVE_STEPS, "You are an assistant that answers questions about a shop. " * 20)
    toolbox = Toolbox.of(agent, PromptRepository({agent.name: agent.prompts}), repair_arguments)

    async def live(runs: int) -> float:
        model = Talking(LIVE_STEPS, hangs=True)
        async with in_memory(runs) as stored:
            gc.collect()
            before = resident()
            tasks = [
                asyncio.ensure_future(to_its_end(agent, toolbox, stored.journal, claim, model, Passages()))
                for claim in stored.claims
            ]
            for _ in range(runs):
                await model.hanging.acquire()
            gc.collect()
            taken = resident() - before
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return taken / runs

    await live(10)  # what the first run loads is not a run's
    return await live(LIVE)


def resident() -> float:
    """Kilobytes of this process in memory."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return float(line.split()[1])
    raise RuntimeError("this machine does not tell how much memory a process takes")


async def rate(runs: int, steps: int) -> float:
    """Steps per second of processor time, without a store and without a network."""
    agent = spec(steps, "You are an assistant that answers questions about a shop. " * 20)
    toolbox = Toolbox.of(agent, PromptRepository({agent.name: agent.prompts}), repair_arguments)
    async with in_memory(runs) as stored:
        model = Talking(steps)
        started = time.process_time()
        await asyncio.gather(
            *(to_its_end(agent, toolbox, stored.journal, claim, model, Passages()) for claim in stored.claims)
        )
        return runs * (steps + 1) / (time.process_time() - started)


def import_milliseconds(module: str, rounds: int) -> float:
    """Processor time of an import in a process of its own, the best of some tries.

    With byte code, as an installed package has it, also where this process was told to write none.
    """
    program = f"import time; t = time.process_time(); import {module}; print(time.process_time() - t)"
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache, "PYTHONDONTWRITEBYTECODE": ""}
        tries = [
            subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.PIPE, env=environment).stdout
            for _ in range(rounds + 1)
        ]
    return min(map(float, tries[1:])) * 1_000  # the first one writes the byte code


def main() -> int:
    """Measure, report, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer runs: to see that it works, not to judge")
    options = parser.parse_args()
    full, empty, conversation = asyncio.run(disk())
    rounds = 1 if options.quick else 7
    judged = [
        Bar(f"× the conversation on disk, {STEPS} steps on SQLite", (full - empty) / conversation, 2),
        Bar(f"× the conversation on disk, with an empty file's {empty // 1024} KB", full / conversation, 2),
        Bar(f"KB in memory for each of {LIVE} live runs", asyncio.run(memory()), 60),
        Bar(
            "steps per second of CPU, without a store",
            asyncio.run(rate(20 if options.quick else 200, 10)),
            2_000,
            at_least=True,
        ),
        Bar("ms of CPU for import loopwright", import_milliseconds("loopwright", rounds), 150),
        Bar("ms of CPU for import loopwright.kernel.loop", import_milliseconds("loopwright.kernel.loop", rounds), 150),
    ]
    if options.json:
        print(json.dumps({"bars": [{**asdict(bar), "held": bar.held} for bar in judged]}))
    else:
        print(*judged, sep="\n")
    return exit_code(judged)


if __name__ == "__main__":
    sys.exit(main())
