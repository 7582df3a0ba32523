"""A small offline job of each agent that comes through all stages in which its model thinks."""

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from loopwright.agents.designspec import usecases as designspec
from loopwright.agents.ide import usecases as ide
from loopwright.agents.jobs.configs import load_config
from loopwright.agents.jobs.usecases.documents import GivenDocument, job_run
from loopwright.agents.planner import usecases as planner
from loopwright.app.answering import answer_and_go_on, load_state
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, start_run
from loopwright.kernel.gates import default_answers
from loopwright.kernel.ports import ModelClient, RunRecord
from tests.support.application import settings_in

POLICY = (
    b"# House policy\n\nThe cashier must hand every customer a receipt.\n\nThe clerk must keep a copy for ten years.\n"
)
MODULE = "def total(prices):\n    return sum(prices)\n"
TEST = "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"

Job = Callable[[Loopwright, Path], Awaitable[Sequence[RunRecord]]]


@asynccontextmanager
async def application_with(folder: Path, model: ModelClient) -> AsyncIterator[Loopwright]:
    """An installation in this folder, whose model is this one."""
    async with Loopwright.open(settings_in(folder, self_check=0)) as application:
        application.model = model
        yield application


async def played(application: Loopwright, new: NewRun) -> RunRecord:
    """The run at its end; every question gets the agent's own answer, every approval a yes."""
    run = await start_run(application, new)
    for _ in range(40):
        await application.dispatcher.wait(run.run_id)
        gate = (await load_state(application, run.run_id)).open_gate
        if gate is None:
            break
        payload = default_answers(gate) if gate.kind == "questions" else {"decision": "approve"}
        await answer_and_go_on(application, run.run_id, payload)
    return await application.stores.runs.get(run.run_id)


async def pages_job(application: Loopwright, folder: Path) -> list[RunRecord]:
    first = await played(application, NewRun("A landing page for a bakery, 1 page", options={"generate_now": True}))
    session = first.session_id
    second = await played(application, NewRun("Make the heading say Fresh bread", session_id=session))
    await played(application, NewRun("Add a contact page", session_id=session))
    third = await played(
        application, NewRun("Make the heading of the contact page say Write to us", session_id=session)
    )
    return [first, second, third]


async def designspec_job(application: Loopwright, folder: Path) -> list[RunRecord]:
    project = folder / "solid"
    first = await designspec.message_for(
        application, project, "A box of 20 x 10 x 5 mm with a straight channel of 2 mm diameter through it", {}
    )
    done = [await played(application, first)]
    again = await designspec.message_for(application, project, "Run it and tell me whether it is whole", {})
    return [*done, await played(application, again)]


async def ide_job(application: Loopwright, folder: Path) -> list[RunRecord]:
    root = folder / "shop"
    root.mkdir(exist_ok=True)
    (root / "shop.py").write_text(MODULE, encoding="utf-8")
    (root / "test_shop.py").write_text(TEST, encoding="utf-8")
    asked = await ide.message_for(application, "Show me shop.py", ide.switches(mode="chat"), root=root)
    done = [await played(application, asked)]
    for wish, reasoning in (
        ('replace "sum(prices)" with "float(sum(prices))" in shop.py', True),
        ("Be friendly", False),
    ):
        change = ide.switches(reasoning=reasoning, qa=True, allowed=["write", "run"])
        done.append(await played(application, await ide.message_for(application, wish, change, root=root)))
    return done


async def planner_job(application: Loopwright, folder: Path) -> list[RunRecord]:
    new = planner.plan_run("Learn to juggle three balls in two weeks, 3 hours a week", now=planner.present(application))
    return [await played(application, new)]


async def jobs_job(application: Loopwright, folder: Path) -> list[RunRecord]:
    documents = [GivenDocument("policy.md", POLICY)]
    return [await played(application, await job_run(application, load_config("creator"), documents=documents))]


UNFINISHED = '{"state": "NEEDS_WORK", "missing": ["a greeting"], "reason": "There is none."}'
RUN_IT = {
    "operations": [],
    "assistant_message": "I run it.",
    "run_request": {"run": True, "run_until": "compile_domains", "reason": "to see", "expected_signal": "is it whole?"},
}
INSTEAD: dict[str, dict[str, list[str]]] = {
    "ide": {"delivery_check": [UNFINISHED] * 3},
    "designspec": {"processing": ["", json.dumps(RUN_IT)]},
}
"""What the offline model never says, by stage; an empty text is left to it."""

JOBS: dict[str, Job] = {
    "pages": pages_job,
    "designspec": designspec_job,
    "ide": ide_job,
    "planner": planner_job,
    "jobs": jobs_job,
}


SHOWN = 3_000
"""The characters that are shown of a message: prompts are whole, files that are read are not."""


def readable(bodies: Sequence[tuple[str, Mapping[str, Any]]], folder: Path) -> str:
    """Requests as a person reads them, in Markdown: of each what the one before did not tell.

    What is another in each run stands as a name: ids, moments, durations, the folder.
    """
    parts: list[str] = []
    before: Mapping[str, Any] = {"messages": []}
    for number, (stage, body) in enumerate(bodies, 1):
        same = _common(before["messages"], body["messages"])
        parts.append(f"# Request {number} · {stage}")
        if body.get("tools") != before.get("tools"):
            told = "\n".join(json.dumps(tool["function"], ensure_ascii=False) for tool in body.get("tools") or ())
            parts.append(f"**tools**\n\n````\n{told or 'none'}\n````")
        rest = {key: value for key, value in body.items() if key not in ("messages", "tools")}
        parts.append(f"````json\n{json.dumps(rest, indent=1, ensure_ascii=False, sort_keys=True)}\n````")
        parts += [f"({same} messages as before)"] if same else []
        for message in body["messages"][same:]:
            called = [call["function"] for call in message.get("tool_calls", ())]
            calls = "".join(f"\n→ {call['name']} {call['arguments']}" for call in called)
            parts.append(f"**{message['role']}**\n\n````\n{_cut(message.get('content') or '')}{_cut(calls)}\n````")
        before = body
    return lasting("\n\n".join(parts), folder) + "\n"


def _cut(text: str) -> str:
    left = len(text) - SHOWN
    return text if left <= 0 else f"{text[:SHOWN]}\n(and {left:,} characters more)"


def _common(before: Sequence[Any], after: Sequence[Any]) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )


def lasting(text: str, folder: Path) -> str:
    """The text without what is another in each run."""
    text = text.replace(str(folder.resolve()), "FOLDER").replace(str(folder), "FOLDER")
    for pattern, name in CHANGING:
        text = pattern.sub(name, text)
    return "\n".join(line.rstrip() for line in text.splitlines())


CHANGING = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"s\d+c\d+-call_[0-9a-f]+", "CALL"),
        (r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([+-]\d{2}:?\d{2}|Z)?)?", "MOMENT"),
        (r"\d{8}T\d{6}(\.\d+)?Z?", "MOMENT"),
        (r"\b[0-9a-f]{12,64}\b", "ID"),
        (r"\b\d+(\.\d+)? ?(ms|s|seconds|MB)\b", "AMOUNT"),
    )
)
"""What tells when, how long and which one."""
