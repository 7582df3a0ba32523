"""An installation whose toy agent has MCP servers beside its own tool, and a model that plays a script."""

import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, start_run
from loopwright.kernel.ports import RunRecord
from loopwright.kernel.testing import ScriptedModel
from tests.engine.toys import TOY
from tests.support.agents import introduce
from tests.support.application import journal_of, settings_in

SHOP = Path(__file__).with_name("shop.py")


def shop_entry(folder: Path, **more: Any) -> dict[str, Any]:
    """The shop as `mcp.json` names it; it writes down what it does in `book`."""
    return {"command": sys.executable, "args": ["-P", str(SHOP), str(folder / "book")], **more}


@asynccontextmanager
async def app_with(
    folder: Path, servers: dict[str, Any], script: Sequence[Any] = (), spec: Any = TOY
) -> AsyncIterator[tuple[Loopwright, ScriptedModel]]:
    """The installation, opened; the script must be used up."""
    (folder / "home").mkdir(mode=0o700, exist_ok=True)
    (folder / "home" / "mcp.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    model = ScriptedModel(script)
    async with Loopwright.open(settings_in(folder)) as app:
        app.model = model
        introduce(app, spec.name, spec)
        yield app, model
    model.assert_done()


async def finished(app: Loopwright, message: str = "Go.", agent: str = "toy") -> RunRecord:
    """A new run, carried to its end or to a question."""
    run = await start_run(app, NewRun(message, agent=agent))
    await app.dispatcher.wait(run.run_id)
    return await app.stores.runs.get(run.run_id)


async def results(app: Loopwright, run: RunRecord) -> list[dict[str, Any]]:
    """The results of the run's tool calls, in the order of the calls: those of readers come as they are ready."""
    found = {event.payload["call_id"]: event.payload for event in await journal_of(app, run.run_id, "tool_result")}
    answers = await journal_of(app, run.run_id, "model_response")
    return [found[call["id"]] for answer in answers for call in answer.payload["tool_calls"] if call["id"] in found]
