"""Running an agent: the thin synchronous way, and going on with a run by its id."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from loopwright.api.agents import Agent
from loopwright.api.results import OutputT, Result, Waiting
from loopwright.api.tools import DepsT
from loopwright.kernel.errors import InvalidInput

if TYPE_CHECKING:
    from loopwright.kernel.ports import ModelClient


def run(
    agent: Agent[DepsT, OutputT],
    message: str,
    *,
    session: str | None = None,
    deps: DepsT | None = None,
    model: "ModelClient | None" = None,
    home: str | Path | None = None,
) -> Result[OutputT]:
    """Run an agent on a message from a program without an event loop; `await agent.run(…)` is the same within one.

    Args:
        agent: the agent.
        message: what the user wants.
        session: the id of an earlier run's session, to go on in its conversation.
        deps: used in the place of what the agent's `deps` makes.
        model: answers in the place of the configured model; tests give a `ScriptedModel`.
        home: the folder of the journal; by default `LOOPWRIGHT_HOME`, or the user's data folder.

    Returns:
        A `Done`, `Waiting` or `Failed`; each has a `text`.

    Raises:
        LoopwrightError: the message or a setting cannot be used, the journal cannot be written, or an event loop runs.

    Example:
        >>> from loopwright import Agent, run
        >>> from loopwright.testing import ScriptedModel, say
        >>> run(Agent("greeter", "Greet."), "Hi", model=ScriptedModel(say("Hello."))).text
        'Hello.'
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(agent.run(message, session=session, deps=deps, model=model, home=home))
    raise InvalidInput(
        f"run({agent!r}, …) was called while an event loop runs.", hint="Write `await agent.run(message)` there."
    )


@overload
async def resume(
    run: Waiting[OutputT],
    *,
    approve: bool | None = None,
    answers: Mapping[str, Any] | None = None,
    comment: str | None = None,
    deps: Any = None,
    model: "ModelClient | None" = None,
    home: str | Path | None = None,
) -> Result[OutputT]: ...
@overload
async def resume(
    run: str,
    *,
    approve: bool | None = None,
    answers: Mapping[str, Any] | None = None,
    comment: str | None = None,
    deps: Any = None,
    model: "ModelClient | None" = None,
    home: str | Path | None = None,
) -> Result[Any]: ...
async def resume(
    run: str | Waiting[Any],
    *,
    approve: bool | None = None,
    answers: Mapping[str, Any] | None = None,
    comment: str | None = None,
    deps: Any = None,
    model: "ModelClient | None" = None,
    home: str | Path | None = None,
) -> Result[Any]:
    """Go on with a run: after a crash, or with the answer that it waits for.

    What is over stays as it is, and its result is given again. The agent is the one of this name that this process has
    declared; else the installed one; else the one in the file from which it was run last, which is loaded.

    Args:
        run: a run's id, or the `Waiting` that it came to.
        approve: the answer to a gate that asks for a yes.
        answers: the answers to a gate with questions, by the question's text or index.
        comment: words that the model gets with a yes or a no.
        deps: used in the place of what the agent's `deps` makes.
        model: answers in the place of the configured model.
        home: the folder of the journal; of a `Waiting` its own.

    Raises:
        LoopwrightError: there is no such run, its agent cannot be found, it does not wait for this answer, or another
            process carries it on.

    Example:
        >>> import asyncio
        >>> from loopwright import Agent, resume, run
        >>> from loopwright.testing import ScriptedModel, say
        >>> done = run(Agent("greeter", "Greet."), "Hi", model=ScriptedModel(say("Hello.")))
        >>> asyncio.run(resume(done.run_id)).text
        'Hello.'
    """
    from loopwright.api.driving import answer_of, opened

    run_id = run if isinstance(run, str) else run.run_id
    answer = answer_of(run_id, approve, answers, comment)
    folder = run.home if home is None and not isinstance(run, str) else home
    async with opened(model, folder, deps) as driver:
        return await driver.resume(run_id, answer)
