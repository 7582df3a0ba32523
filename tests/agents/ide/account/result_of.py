"""Results to measure: a folder of files, the calls of a run, and what was answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from loopwright.agents.ide.account import KIT
from loopwright.kernel.account import Measured, NotMeasurable

CHECKS = {check.name: check for check in KIT.checks}
CODE = {
    "shop/cart.py": (
        "from shop.price import total\n\n\nclass Cart:\n    limit = 5\n\n    def sum(self):\n        return total(1)\n"
    ),
    "shop/price.py": 'def total(n):\n    """The total of fetch."""\n    return n  # not fetch\n',
    "web/app.ts": "import {total} from './x';\nexport const show = () => total(2); // fetch\n",
    "README.md": "The total of fetch.\n",
}
Made = tuple[str, Mapping[str, Any], str, Mapping[str, Any]]
"""A call: its tool, its arguments, what it gave, and the artifacts."""


@dataclass
class Journal:
    """The events of one run."""

    events: list[Any]

    async def read(self, run_id: str) -> list[Any]:
        """All of them."""
        return self.events


@dataclass
class Result:
    """What a check gets to see."""

    output_dir: Path
    journal: Journal
    state: Any = field(default_factory=lambda: SimpleNamespace(run_id="run", last_response=None))


def result_of(
    root: Path,
    files: Mapping[str, str | bytes],
    calls: Sequence[Made] = (),
    answer: str = "",
    began: datetime | None = None,
) -> Result:
    """The project with these files after a run that made these calls and gave this answer."""
    root.mkdir(exist_ok=True)
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode() if isinstance(text, str) else text)
    at = began or datetime(2000, 1, 1, tzinfo=UTC)
    events = [SimpleNamespace(type="run_created", payload={}, at=at)]
    for number, (name, arguments, output, artifacts) in enumerate(calls):
        key = f"c{number}"
        told = {"call_id": key, "name": name}
        events.append(SimpleNamespace(type="tool_call", payload={**told, "arguments": dict(arguments)}, at=at))
        failed = output.startswith("Error")
        result = {**told, "success": not failed, "output": output, "artifacts": dict(artifacts)}
        events.append(SimpleNamespace(type="tool_result", payload=result, at=at))
    said: dict[str, Any] = {"stage": "tool_followup", "tool_calls": [], "text": answer, "visible": None}
    events.append(SimpleNamespace(type="model_response", payload=said, at=at))
    return Result(root, Journal(events))


def ran(command: str, code: int, output: str) -> Made:
    """A command that was run to its end."""
    mark = "" if code == 0 else "Error: "
    return ("run_command", {"command": command}, f"{mark}[exit code {code}, 0.3 s]\n{output}", {"exit_code": code})


def wrote(path: str) -> Made:
    """A file that was written."""
    return ("write_file", {"path": path, "content": ""}, f"Changed {path} (+1 −0)", {"files": [{"path": path}]})


async def measured(name: str, arguments: Mapping[str, Any], result: Any) -> bool:
    """Whether the check holds; what cannot be measured does not."""
    try:
        return (await found(name, arguments, result)).holds
    except NotMeasurable:
        return False


async def found(name: str, arguments: Mapping[str, Any], result: Any) -> Measured:
    """What the check finds."""
    check = CHECKS[name]
    return await check.measure(result, check.arguments.model_validate(arguments))
